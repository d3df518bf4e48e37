// A form made from a mode's JSON Schema. Only what was changed is sent; the rest is the server's default.

import { useId } from 'react'
import { many, words } from './parts'
import { Sign } from './seats'
import type { ModelInfo } from './wire'

export interface Schema {
  type?: string
  title?: string
  description?: string
  default?: unknown
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  $ref?: string
  $defs?: Record<string, Schema>
}

export type Config = Record<string, unknown>

/** A field without its null and its reference. */
export function plain(field: Schema, root: Schema): Schema {
  const named = field.$ref ? { ...root.$defs?.[field.$ref.split('/').pop()!], ...field } : field
  const kinds = named.anyOf?.filter((kind) => kind.type !== 'null')
  return kinds?.length === 1 ? { ...plain(kinds[0]!, root), ...named, ...(kinds[0]!.type ? { type: kinds[0]!.type } : {}) } : named
}

const isSupported = (field: Schema) =>
  field.enum !== undefined || ['string', 'integer', 'number', 'boolean'].includes(field.type ?? '') || (field.type === 'array' && field.items !== undefined) || (field.type === 'object' && field.properties !== undefined)

interface Given {
  root: Schema
  models: ModelInfo[]
}

export function Form({ schema, config, set, models }: { schema: Schema; config: Config; set: (config: Config) => void; models: ModelInfo[] }) {
  return (
    <div className="form">
      <datalist id="models">
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {priceWords(model)}
          </option>
        ))}
      </datalist>
      <Fields schema={schema} value={config} set={set} given={{ root: schema, models }} />
    </div>
  )
}

/** Content first, then who sits where, then the rest. */
function rank(field: Schema): number {
  if (field.format === 'text') return 0
  if (field.type === 'array') return 1
  if (field.format === 'model') return 2
  return 3
}

function Fields({ schema, value, set, given }: { schema: Schema; value: Config; set: (value: Config) => void; given: Given }) {
  const known = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, plain(field, given.root)] as const)
  // What describes a choice of one's own is asked for only where that choice was made.
  const own = known.some(([name, field]) => field.enum?.includes('custom') && (value[name] ?? field.default) === 'custom')
  const fields = known
    .filter(([name, field]) => isSupported(field) && (own || !name.startsWith('custom')))
    .sort(([, a], [, b]) => rank(a) - rank(b))
  const change = (name: string, next: unknown) => {
    const changed = { ...value }
    if (next === undefined) delete changed[name]
    else changed[name] = next
    set(changed)
  }
  return fields.map(([name, field]) => (
    <Field key={name} name={name} field={field} value={value[name] ?? field.default} set={(next) => change(name, next)} given={given} />
  ))
}

function Field({ name, field, value, set, given }: { name: string; field: Schema; value: unknown; set: (value: unknown) => void; given: Given }) {
  const id = useId()
  const title = field.title ?? words(name)
  if (field.type === 'array') return <List title={title} field={field} value={Array.isArray(value) ? value : []} set={set} given={given} />
  if (field.type === 'object')
    return (
      <fieldset>
        <legend>{title}</legend>
        <Fields schema={field} value={(value as Config | null) ?? {}} set={set} given={given} />
      </fieldset>
    )
  const hint = field.description && (
    <span className="hint" id={`${id}h`}>
      {field.description}
    </span>
  )
  if (field.type === 'boolean')
    return (
      <p className="field">
        <label>
          <input type="checkbox" checked={Boolean(value)} onChange={(event) => set(event.target.checked)} /> {title}
        </label>
        {hint}
      </p>
    )
  return (
    <p className={`field ${field.format === 'text' ? 'wide' : ''}`}>
      <label htmlFor={id}>{title}</label>
      <Input id={id} field={field} value={value} set={set} described={hint ? `${id}h` : undefined} />
      {hint}
    </p>
  )
}

function Input({ id, field, value, set, described, label }: { id?: string; field: Schema; value: unknown; set: (value: unknown) => void; described?: string | undefined; label?: string }) {
  const common = { id, 'aria-describedby': described, 'aria-label': label }
  const text = value == null ? '' : String(value)
  if (field.enum)
    return (
      <select {...common} value={text} onChange={(event) => set(event.target.value)}>
        {field.enum.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    )
  if (field.type === 'integer' || field.type === 'number')
    return (
      <input {...common} type="number" min={field.minimum} max={field.maximum} step={field.type === 'integer' ? 1 : 'any'} value={text} onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))} />
    )
  if (field.format === 'text') return <textarea {...common} rows={6} value={text} onChange={(event) => set(event.target.value || undefined)} />
  if (field.format === 'model') return <input {...common} type="text" list="models" autoComplete="off" spellCheck={false} value={text} onChange={(event) => set(event.target.value || undefined)} />
  return <input {...common} type="text" value={text} onChange={(event) => set(event.target.value || undefined)} />
}

function List({ title, field, value, set, given }: { title: string; field: Schema; value: unknown[]; set: (value: unknown) => void; given: Given }) {
  const item = plain(field.items ?? {}, given.root)
  const isModels = item.format === 'model'
  const [fewest, most] = [field.minItems ?? 0, field.maxItems ?? 50]
  const change = (place: number, next: unknown) => set(value.with(place, next ?? ''))
  // The same model may sit twice: a new seat begins as one that is not there yet, else as the first.
  const fresh = () => {
    if (isModels) return given.models.find((model) => !value.includes(model.id))?.id ?? value[0] ?? ''
    return item.type === 'object' ? { ...(value.at(-1) as Config | undefined) } : ''
  }
  return (
    <fieldset className={isModels ? 'seats' : 'wide'}>
      <legend>{title}</legend>
      {field.description && <p className="hint">{field.description}</p>}
      <ol>
        {value.map((entry, place) => (
          <li key={place}>
            {(isModels || item.type === 'object') && <Sign seat={place + 1} />}
            {item.type === 'object' ? (
              <div className="entry">
                <Fields schema={item} value={(entry as Config | null) ?? {}} set={(next) => change(place, next)} given={given} />
              </div>
            ) : (
              <Input field={item} value={entry} set={(next) => change(place, next)} label={`${title} ${place + 1}`} />
            )}
            <button type="button" className="small" disabled={value.length <= fewest} aria-label={`Remove ${title} ${place + 1}`} onClick={() => set(value.toSpliced(place, 1))}>
              ×
            </button>
          </li>
        ))}
      </ol>
      <button type="button" className="small" disabled={value.length >= most} onClick={() => set([...value, fresh()])}>
        Add {isModels ? 'a seat' : 'one'}
      </button>
      {field.minItems != null && <span className="note">{many(field.minItems, 'entry', 'entries')} to {field.maxItems}</span>}
    </fieldset>
  )
}

export function priceWords(model: ModelInfo): string {
  const parts = [model.name ?? '', model.contextLength ? `${Math.round(model.contextLength / 1000)}k context` : '']
  if (model.promptPrice != null && model.completionPrice != null) parts.push(`$${model.promptPrice} in, $${model.completionPrice} out per million`)
  return parts.filter(Boolean).join(' · ')
}
