// The question, and the house it is put to.

import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import './ask.css'
import { ApiError, api } from '../api/client'
import { currentDraft, clearDraft } from '../run/draft'
import { EstimateFold, EstimateLine, type Problems, problemsOf, useEstimate } from './estimate'
import {
  type Config,
  Fields,
  type FieldGroup,
  type Schema,
  FieldError,
  visibleFields,
  seatModel,
  fieldGroup,
  resolveField,
} from './form'
import { ModePicker } from './mode_picker'
import { plural } from '../ui/format'
import { Fold } from '../ui/section'
import { PresetBar, usePresets } from './presets'
import type { ModePart, PartOf } from '../run/mode_part'
import { Sign, shortModel } from '../ui/seats'
import type { ModeList, ModeView, Models, Preset, RunEstimate } from '../api/wire'

export interface Question {
  question: string
  mode: string
  modeConfig?: Config
}

const EXAMPLES = [
  'Should a team of five keep one repository or several?',
  'Is it wiser to rent or to buy a home in a city one may leave in five years?',
  'Explain why the sky is blue to a curious child, without saying anything false.',
]
/** How a mode was set up: what was changed, and the preset it began with. */
interface Setup {
  config: Config
  preset: string | null
}

export function Ask({
  modes,
  models,
  partOf,
  onAsk,
}: {
  modes: ModeList
  models: Models | null
  partOf: PartOf
  onAsk: (question: Question) => Promise<void>
}) {
  const open = modes.modes.filter((mode) => mode.available)
  const [mode, setMode] = useState(() => currentDraft()?.mode ?? lastMode(open) ?? modes.defaultMode)
  const [text, setText] = useState(() => currentDraft()?.text ?? '')
  const [setups, setSetups] = useSetups()
  const [askError, setAskError] = useState<ApiError | Error | null>(null)
  const [busy, setBusy] = useState(false)
  const [first] = useState(() => localStorage.getItem('moot.mode') === null)
  const [estimates, setEstimates] = useState<Record<string, RunEstimate>>({})
  const presets = usePresets()
  const box = useRef<HTMLTextAreaElement>(null)
  const chosen = open.find((one) => one.id === mode) ?? open[0]
  const schema = (chosen?.configSchema ?? {}) as Schema
  const setup =
    setups[chosen?.id ?? ''] ??
    setupFrom(
      presets.all.find((one) => one.mode === chosen?.id && one.isDefault),
      schema,
    )
  const { estimate, problems } = useEstimate(chosen?.id ?? '', setup.config, text)
  useEffect(() => box.current?.focus(), [])
  useEffect(clearDraft, [])
  useEffect(
    () =>
      void api.estimates().then(
        (answer) => setEstimates(answer.estimates),
        () => undefined,
      ),
    [],
  )
  if (!chosen) return <p className="notice">No mode of deliberation is available on this server.</p>
  const change = (next: Setup) => {
    setAskError(null)
    setSetups({ ...setups, [chosen.id]: next })
  }
  const allProblems = askError instanceof ApiError ? { ...problems, ...problemsOf(askError) } : problems
  const ask = async () => {
    if (busy) return
    setAskError(null)
    if (!text.trim()) {
      setAskError(new Error('Write a question first.'))
      box.current?.focus()
      return
    }
    setBusy(true)
    localStorage.setItem('moot.mode', chosen.id)
    const question: Question = { question: text, mode: chosen.id }
    if (Object.keys(setup.config).length > 0) question.modeConfig = setup.config
    await onAsk(question).then(
      // The house stays for the next question, the text it worked on does not.
      () =>
        setSetups({ ...setups, [chosen.id]: { ...setup, config: workTexts(setup.config, schema, false) } }),
      (error: unknown) => setAskError(error instanceof Error ? error : new Error(String(error))),
    )
    setBusy(false)
  }
  return (
    <form
      className="ask"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void ask()
      }}
    >
      <div className="ask-head">
        <h1>Put a question to the house</h1>
        <p className="hint keys">
          <kbd>Enter</kbd> asks · <kbd>Shift</kbd>+<kbd>Enter</kbd> new line · <kbd>/</kbd> search
        </p>
      </div>
      {first && (
        <p className="welcome">
          Several models answer, weigh each other’s answers and settle on one; you read it and can see why.
          Write a question, or take an example, and press Enter.
        </p>
      )}
      <QuestionBox
        box={box}
        text={text}
        set={(next) => {
          setText(next)
          setAskError(null)
        }}
        ask={() => void ask()}
        placeholder={partOf(chosen.id).placeholder}
      />
      <QuestionLength text={text} most={chosen.maxQuestionChars} elsewhere={workField(schema)} />
      {askError && (
        <p className="notice bad" role="alert">
          {askError.message}
        </p>
      )}
      <div className="ask-line">
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Asking…' : `Ask in ${chosen.name}`}
        </button>
        <div className="takes">
          <SeatLine schema={schema} config={{ ...estimate?.config, ...setup.config }} />
          <span className="hint" aria-live="polite">
            {estimate ? <EstimateLine estimate={estimate} /> : (Object.values(allProblems)[0] ?? '\u00a0')}
          </span>
        </div>
      </div>
      <p className="examples">
        <span className="note">For example</span>
        {EXAMPLES.map((example) => (
          <button
            key={example}
            type="button"
            onClick={() => {
              setText(example)
              setAskError(null)
              box.current?.focus()
            }}
          >
            {example}
          </button>
        ))}
      </p>
      <ModePicker
        modes={open}
        chosen={chosen}
        choose={(next) => {
          setMode(next)
          setAskError(null)
        }}
        estimates={estimates}
      />
      <ModeSetup
        key={chosen.id}
        mode={chosen}
        part={partOf(chosen.id)}
        schema={schema}
        setup={setup}
        change={change}
        problems={allProblems}
        estimate={estimate}
        models={models}
        bar={
          <PresetBar
            mode={chosen}
            presets={presets}
            chosen={presets.all.find((one) => one.id === setup.preset) ?? null}
            config={workTexts(setup.config, schema, false)}
            apply={(preset) =>
              change(setupFrom(preset ?? undefined, schema, workTexts(setup.config, schema, true)))
            }
          />
        }
      />
    </form>
  )
}

function lastMode(open: ModeView[]): string | undefined {
  const mode = localStorage.getItem('moot.mode')
  return open.some((one) => one.id === mode) ? (mode ?? undefined) : undefined
}

/** What of a preset the mode still knows, with the text that is there. */
function setupFrom(preset: Preset | undefined, schema: Schema, text: Config = {}): Setup {
  const known = Object.entries(preset?.config ?? {}).filter(([name]) => schema.properties?.[name])
  return { config: { ...text, ...Object.fromEntries(known) }, preset: preset?.id ?? null }
}

/** Of a config, the texts that are worked on; or all but these. */
const workTexts = (config: Config, schema: Schema, wanted: boolean): Config =>
  Object.fromEntries(
    Object.entries(config).filter(([name]) => (schema.properties?.[name]?.format === 'text') === wanted),
  )

/** Kept while the tab is open: whoever asks twice wants the same house. */
function useSetups(): [Record<string, Setup>, (next: Record<string, Setup>) => void] {
  const [setups, setSetups] = useState<Record<string, Setup>>(() => {
    try {
      return JSON.parse(sessionStorage.getItem('moot.setups') ?? '{}') as Record<string, Setup>
    } catch {
      return {}
    }
  })
  const set = (next: Record<string, Setup>) => {
    setSetups(next)
    try {
      sessionStorage.setItem('moot.setups', JSON.stringify(next))
    } catch {
      // too long to be kept
    }
  }
  return [setups, set]
}

const workField = (schema: Schema) =>
  Object.values(schema.properties ?? {}).find((field) => field.format === 'text')?.title

/** Said when it matters: near the limit, and beyond. */
function QuestionLength({
  text,
  most,
  elsewhere,
}: {
  text: string
  most: number | null | undefined
  elsewhere: string | undefined
}) {
  if (!most || text.length < most * 0.8) return null
  const over = text.length > most
  return (
    <p className={over ? 'wrong' : 'hint'} id="question-length">
      {text.length.toLocaleString('en')} of at most {most.toLocaleString('en')} characters.
      {over && elsewhere && ` A longer text belongs into “${elsewhere}” below.`}
    </p>
  )
}

export function QuestionBox({
  box,
  text,
  set,
  ask,
  label = 'Your question',
  placeholder,
}: {
  box?: React.Ref<HTMLTextAreaElement>
  text: string
  set: (text: string) => void
  ask: () => void
  label?: string
  placeholder?: string | undefined
}) {
  const keys = (event: KeyboardEvent) => {
    // While an input method composes, Enter chooses a word.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      ask()
    }
  }
  return (
    <textarea
      ref={box}
      className="question-box"
      aria-label={label}
      placeholder={placeholder ?? `${label}…`}
      rows={Math.min(12, Math.max(3, text.split('\n').length + Math.floor(text.length / 90)))}
      value={text}
      onChange={(event) => set(event.target.value)}
      onKeyDown={keys}
      dir="auto"
    />
  )
}

/** Who sits, in a line. */
function SeatLine({ schema, config }: { schema: Schema; config: Config }) {
  const seats = Object.entries(schema.properties ?? {}).flatMap(
    ([name, raw]): { seat: number | null; model: string; role: string }[] => {
      const field = resolveField(raw, schema)
      const value = config[name] ?? field.default
      const part = fieldGroup(field, schema)
      if (part === 'seats' && Array.isArray(value))
        return value.map((entry, place) => ({
          seat: place + 1,
          model: seatModel(entry),
          role: '',
        }))
      return part === 'roles' && typeof value === 'string'
        ? [{ seat: null, model: value, role: (field.title ?? '').toLowerCase() }]
        : []
    },
  )
  return (
    <ul className="seated" aria-label="Who sits">
      {[...seats.filter((one) => one.seat !== null), ...seats.filter((one) => one.seat === null)].map(
        (one, place) => (
          <li key={place} title={one.model}>
            <Sign seat={one.seat} size={13} />
            {shortModel(one.model).split(':')[0]}
            {one.role && <span className="note">{one.role}</span>}
          </li>
        ),
      )}
    </ul>
  )
}

interface ModeSetupProps {
  mode: ModeView
  part: ModePart
  schema: Schema
  setup: Setup
  change: (next: Setup) => void
  problems: Problems
  estimate: RunEstimate | null
  models: Models | null
  bar: React.ReactNode
}

function ModeSetup({ mode, part, schema, setup, change, problems, estimate, models, bar }: ModeSetupProps) {
  const id = useId()
  // What holds where nothing was changed; the last known one while something is wrong.
  const known = useRef<Config>({})
  if (estimate) known.current = estimate.config
  const context = { root: schema, models: models?.models ?? [], problems }
  const fields = (part: FieldGroup) => (
    <Fields
      schema={schema}
      value={setup.config}
      defaults={known.current}
      set={(config) => change({ ...setup, config })}
      context={context}
      path="modeConfig"
      group={part}
    />
  )
  const names = (part: FieldGroup) =>
    visibleFields(schema, schema, { ...known.current, ...setup.config }, part).map(([name]) => name)
  const hasRoles = names('roles').length > 0
  // Seats that are nothing but models leave room beside them.
  const narrow = visibleFields(schema, schema, setup.config, 'seats').some(
    ([, field]) => field.items?.format === 'model',
  )
  const rules = names('rules')
  const changed = rules.filter((name) => setup.config[name] !== undefined).length
  const wrongRule = rules.some((name) =>
    Object.keys(problems).some((path) => path.startsWith(`modeConfig.${name}`)),
  )
  return (
    <section className="house" aria-labelledby={id}>
      <h2 id={id}>{mode.name}</h2>
      <p className="about">
        <span className="phone">{mode.goodFor}</span>
        {mode.description}
        {mode.supportsMultiTurn && ' You can ask on afterwards.'}
      </p>
      {bar}
      <FieldError message={problems.modeConfig} />
      {names('work').length > 0 && <div className="form">{fields('work')}</div>}
      <div className={`form who-sits ${narrow && hasRoles ? 'both' : ''}`}>
        {fields('seats')}
        {hasRoles && <div className="roles">{fields('roles')}</div>}
      </div>
      <Availability models={models} />
      {rules.length > 0 && (
        <Fold title="Rules" note={changed > 0 ? plural(changed, 'change') : 'as usual'} open={wrongRule}>
          <div className="form rules">{fields('rules')}</div>
        </Fold>
      )}
      {estimate && <EstimateFold estimate={estimate} part={part} />}
    </section>
  )
}

/** Why only simulated models answer, or whose models are missing. */
function Availability({ models }: { models: Models | null }) {
  if (!models) return null
  const simulated = models.models.every((model) => model.provider === 'sim')
  return (
    <>
      {simulated && (
        <p className="hint availability">
          No provider is set up, so simulated models answer: good for a look around, and marked as such. Set{' '}
          <code>OPENROUTER_API_KEY</code> and start again to ask real ones; <code>moot doctor</code> says what
          is missing.
        </p>
      )}
      {models.unavailable?.map((one) => (
        <p key={one.provider} className="wrong">
          The models of {one.provider} could not be listed: {one.reason}
        </p>
      ))}
    </>
  )
}
