// One model out of hundreds: an editable combobox over the catalogue. What is not in it can be typed.

import {
  type KeyboardEvent,
  memo,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { ModelInfo } from '../api/wire'

/** Dollars for a million tokens, read and written. */
export function price(model: ModelInfo): string {
  if (model.provider === 'sim') return 'simulated'
  if (model.promptPrice == null || model.completionPrice == null)
    return model.provider === 'ollama' ? 'local' : 'price not known'
  if (model.promptPrice === 0 && model.completionPrice === 0 && !model.requestPrice) return 'free'
  const fee = model.requestPrice ? ` + $${plainNumber(model.requestPrice)} a call` : ''
  return `$${plainNumber(model.promptPrice)} in · $${plainNumber(model.completionPrice)} out${fee}`
}

const plainNumber = (value: number) =>
  value >= 10 ? value.toFixed(0) : Number(value.toPrecision(3)).toString()

export function context(model: ModelInfo): string {
  const length = model.contextLength
  if (!length) return ''
  return length >= 1_000_000 ? `${Number((length / 1_000_000).toFixed(1))}M` : `${Math.round(length / 1000)}k`
}

const authorOf = (model: ModelInfo) =>
  model.id.includes('/') ? model.id.slice(0, model.id.indexOf('/')) : model.provider

/** All words of the search, anywhere in the id or the name; `free` is a word too. */
export function matching(models: ModelInfo[], search: string): ModelInfo[] {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return models
  return models.filter((model) => {
    const text =
      `${model.id} ${model.name ?? ''} ${model.provider} ${price(model) === 'free' ? 'free' : ''}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
}

/** In the order of the catalogue, those of one author together. */
export function byAuthor(models: ModelInfo[]): { title: string; models: ModelInfo[] }[] {
  const groups = new Map<string, ModelInfo[]>()
  for (const model of models) {
    const author = authorOf(model)
    const title =
      author === model.provider || model.provider === 'sim' ? author : `${author} · via ${model.provider}`
    groups.set(title, [...(groups.get(title) ?? []), model])
  }
  return [...groups].map(([title, own]) => ({ title, models: own }))
}

interface Picker {
  id?: string
  label: string
  value: string
  set: (model: string) => void
  models: ModelInfo[]
  described?: string | undefined
  invalid?: boolean
  onMove?: (by: number) => void
}

export function ModelPicker({ id, label, value, set, models, described, invalid, onMove }: Picker) {
  const own = useId()
  const input = useRef<HTMLInputElement>(null)
  // Null while it is closed; else what was typed, which is nothing at first: all are shown.
  const [query, setQuery] = useState<string | null>(null)
  const [active, setActive] = useState(-1)
  const open = query !== null
  const search = useDeferredValue(query ?? '')
  const groups = useMemo(() => (open ? byAuthor(matching(models, search)) : []), [open, models, search])
  const results = useMemo(() => groups.flatMap((group) => group.models), [groups])

  const show = () => {
    if (open) return
    setQuery('')
    const order = byAuthor(models).flatMap((group) => group.models)
    setActive(order.findIndex((model) => model.id === value))
  }
  const close = () => {
    setQuery(null)
    setActive(-1)
  }
  const choose = (model: string) => {
    if (model.trim() && model !== value) set(model.trim())
    close()
  }
  useEffect(() => {
    if (open && active >= 0) document.getElementById(`${own}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [open, active, own])

  const keys = (event: KeyboardEvent) => {
    if (onMove && event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      event.preventDefault()
      onMove(event.key === 'ArrowUp' ? -1 : 1)
      return
    }
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }
    const step = steps[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!open) show()
      else if (results.length > 0) setActive(Math.min(results.length - 1, Math.max(0, active + step)))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      // A closed picker lets Enter ask.
      if (!open) return
      event.preventDefault()
      choose(choiceFor(query))
    } else if (event.key === 'Escape' && open) {
      event.preventDefault()
      event.stopPropagation()
      close()
    }
  }
  // By what stands there now: the list may lag behind a quick typist.
  const choiceFor = (entry: string) => {
    const now = byAuthor(matching(models, entry)).flatMap((group) => group.models)
    const exact = now.find((model) => model.id === entry.trim())
    return (exact ?? now[active] ?? (entry.trim() ? now[0] : undefined))?.id ?? entry
  }
  const leave = () => {
    // Only what is surely an id is taken from someone who went on.
    const entry = query?.trim() ?? ''
    if (entry.includes('/') || models.some((model) => model.id === entry)) choose(entry)
    else close()
  }
  const known = models.find((model) => model.id === value)
  return (
    <span className="picker">
      <input
        ref={input}
        id={id}
        type="text"
        role="combobox"
        aria-label={id ? undefined : label}
        aria-expanded={open}
        aria-controls={`${own}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && active >= 0 && results[active] ? `${own}-${active}` : undefined}
        aria-describedby={described}
        aria-invalid={invalid || undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={open ? value || 'Search models' : 'Choose a model'}
        value={open ? query : value}
        onChange={(event) => {
          setQuery(event.target.value)
          setActive(event.target.value.trim() ? 0 : -1)
        }}
        // Whoever types means another model; whoever moves the cursor first means this id.
        onFocus={(event) => event.target.select()}
        onClick={show}
        onKeyDown={keys}
        onBlur={leave}
      />
      {!open && value && (
        <span className="picker-facts" aria-hidden="true">
          {known
            ? [price(known), context(known)].filter(Boolean).join(' · ')
            : value.startsWith('sim/')
              ? 'simulated'
              : 'not in the list'}
        </span>
      )}
      <div
        className="picker-list"
        role="listbox"
        id={`${own}-list`}
        aria-label={`Models for ${label}`}
        hidden={!open}
      >
        {open && results.length > 0 && (
          <div className="picker-key" aria-hidden="true">
            dollars per million tokens · context length
          </div>
        )}
        {open && <Groups groups={groups} own={own} active={active} value={value} choose={choose} />}
        {open && results.length === 0 && query.trim() && (
          <div
            role="option"
            aria-selected="false"
            className="picker-own"
            onPointerDown={(event) => {
              event.preventDefault()
              choose(query)
            }}
          >
            No match. Press Enter to use <b>{query.trim()}</b> anyway.
          </div>
        )}
      </div>
      <span className="unseen" role="status">
        {open ? `${results.length} models` : ''}
      </span>
    </span>
  )
}

function Groups({
  groups,
  own,
  active,
  value,
  choose,
}: {
  groups: { title: string; models: ModelInfo[] }[]
  own: string
  active: number
  value: string
  choose: (model: string) => void
}) {
  let number = 0
  return groups.map((group) => (
    <div key={group.title} role="group" aria-label={group.title}>
      <div className="picker-author" aria-hidden="true">
        {group.title}
      </div>
      {group.models.map((model) => {
        const place = number++
        return (
          <Option
            key={model.id}
            id={`${own}-${place}`}
            model={model}
            active={place === active}
            chosen={model.id === value}
            choose={choose}
          />
        )
      })}
    </div>
  ))
}

interface Choice {
  id: string
  model: ModelInfo
  active: boolean
  chosen: boolean
  choose: (model: string) => void
}

const Option = memo(
  function Option({ id, model, active, chosen, choose }: Choice) {
    return (
      <div
        id={id}
        role="option"
        aria-selected={chosen}
        className={active ? 'option active' : 'option'}
        // Before the input loses the focus, and the list with it.
        onPointerDown={(event) => {
          event.preventDefault()
          choose(model.id)
        }}
      >
        <span className="option-name">{model.id.slice(model.id.indexOf('/') + 1)}</span>
        <span className="option-price">{price(model)}</span>
        <span className="option-context">{context(model)}</span>
      </div>
    )
  },
  // `choose` is another function each time and does the same.
  (before, after) =>
    before.id === after.id &&
    before.model === after.model &&
    before.active === after.active &&
    before.chosen === after.chosen,
)
