// The question, and the house it is put to.

import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { begunQuestion, forgetQuestion } from './draft'
import { type Config, Form, type Schema } from './Form'
import { Fold, dollars, many, words } from './parts'
import { Sign, shortModel } from './seats'
import type { ModeList, ModeView, ModelInfo, Models } from './wire'

export interface Question {
  question: string
  mode: string
  modeConfig?: Config
}

const FAMILIES: Record<string, string> = {
  evaluation: 'Weigh answers',
  adversarial: 'Attack and defend',
  sequential: 'Improve step by step',
  role_based: 'Divide the roles',
  algorithmic: 'Let a procedure decide',
  creative: 'Find ideas',
  verification: 'Check facts',
}
const EXAMPLES = [
  'Should a team of five keep one repository or several?',
  'Is it wiser to rent or to buy a home in a city one may leave in five years?',
  'Explain why the sky is blue to a curious child, without saying anything false.',
]

export function Ask({ modes, models, onAsk }: { modes: ModeList; models: Models | null; onAsk: (question: Question) => Promise<void> }) {
  const open = modes.modes.filter((mode) => mode.available)
  const [mode, setMode] = useState(() => begunQuestion()?.mode ?? remembered(open) ?? modes.defaultMode)
  const [text, setText] = useState(() => begunQuestion()?.text ?? '')
  const [configs, setConfigs] = useState<Record<string, Config>>({})
  const [trouble, setTrouble] = useState('')
  const [busy, setBusy] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const chosen = open.find((one) => one.id === mode) ?? open[0]
  useEffect(() => box.current?.focus(), [])
  useEffect(forgetQuestion, [])
  if (!chosen) return <p className="notice">No mode of deliberation is available on this server.</p>
  const config = configs[chosen.id] ?? {}
  const ask = async () => {
    if (busy) return
    setTrouble('')
    if (!text.trim()) {
      setTrouble('Write a question first.')
      box.current?.focus()
      return
    }
    setBusy(true)
    localStorage.setItem('moot.mode', chosen.id)
    const question: Question = { question: text, mode: chosen.id }
    if (Object.keys(config).length > 0) question.modeConfig = config
    await onAsk(question).catch((error: Error) => setTrouble(error.message))
    setBusy(false)
  }
  return (
    <form
      className="ask"
      onSubmit={(event) => {
        event.preventDefault()
        void ask()
      }}
    >
      <h1>Put a question to the house</h1>
      <QuestionBox box={box} text={text} set={setText} ask={() => void ask()} />
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      <p className="line ask-line">
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Asking…' : `Ask in ${chosen.name}`}
        </button>
        <span className="hint">Enter asks, Shift+Enter starts a new line.</span>
      </p>
      <p className="examples">
        {EXAMPLES.map((example) => (
          <button
            key={example}
            type="button"
            onClick={() => {
              setText(example)
              box.current?.focus()
            }}
          >
            {example}
          </button>
        ))}
      </p>
      <ModePicker modes={open} chosen={chosen} choose={setMode} />
      <House mode={chosen} config={config} models={models} />
      {chosen.configSchema && (
        <Fold key={chosen.id} title="Change who sits and how" note={Object.keys(config).length > 0 ? `${many(Object.keys(config).length, 'change')}` : 'defaults'} open={needsContent(chosen)}>
          <Form schema={chosen.configSchema as Schema} config={config} set={(next) => setConfigs({ ...configs, [chosen.id]: next })} models={models?.models ?? []} />
          {Object.keys(config).length > 0 && (
            <button type="button" className="small" onClick={() => setConfigs({ ...configs, [chosen.id]: {} })}>
              Back to the defaults
            </button>
          )}
        </Fold>
      )}
    </form>
  )
}

function remembered(open: ModeView[]): string | undefined {
  const mode = localStorage.getItem('moot.mode')
  return open.some((one) => one.id === mode) ? (mode ?? undefined) : undefined
}

const needsContent = (mode: ModeView) =>
  Object.values((mode.configSchema as Schema).properties ?? {}).some((field) => field.format === 'text')

export function QuestionBox({ box, text, set, ask, label = 'Your question' }: { box?: React.Ref<HTMLTextAreaElement>; text: string; set: (text: string) => void; ask: () => void; label?: string }) {
  const keys = (event: KeyboardEvent) => {
    // While an input method composes, Enter chooses a word.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      ask()
    }
  }
  return <textarea ref={box} className="question-box" aria-label={label} placeholder={`${label}…`} rows={Math.min(12, Math.max(3, text.split('\n').length + Math.floor(text.length / 90)))} value={text} onChange={(event) => set(event.target.value)} onKeyDown={keys} dir="auto" />
}

function ModePicker({ modes, chosen, choose }: { modes: ModeView[]; chosen: ModeView; choose: (mode: string) => void }) {
  const families = [...new Set(modes.map((mode) => mode.family))]
  return (
    <fieldset className="modes">
      <legend>How shall they deliberate?</legend>
      {families.map((family) => (
        <div key={family} className="family">
          <h2>{FAMILIES[family] ?? words(family)}</h2>
          {modes.filter((mode) => mode.family === family).map((mode) => (
            <label key={mode.id} className={mode.id === chosen.id ? 'mode chosen' : 'mode'}>
              <input type="radio" name="mode" value={mode.id} checked={mode.id === chosen.id} onChange={() => choose(mode.id)} />
              <span className="mode-name">{mode.name}</span>
              <span className="hint">{mode.description}</span>
            </label>
          ))}
        </div>
      ))}
    </fieldset>
  )
}

/** Who will sit, how long it may take, what it may cost. */
function House({ mode, config, models }: { mode: ModeView; config: Config; models: Models | null }) {
  const schema = mode.configSchema as Schema | undefined
  const seated = Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => asked(config[name] ?? field.default, field))
  const minutes = mode.estimatedDurationMs / 60_000
  return (
    <div className="house">
      <ul aria-label="Seats">
        {seated.filter((one) => one.seat !== null).map((one, place) => (
          <li key={place}>
            <Sign seat={one.seat} size={18} />
            {shortModel(one.model)}
          </li>
        ))}
        {seated.filter((one) => one.seat === null).map((one, place) => (
          <li key={`r${place}`}>
            <Sign seat={null} size={18} />
            {shortModel(one.model)} <span className="note">{one.role}</span>
          </li>
        ))}
      </ul>
      <p className="hint">
        Takes up to {minutes >= 1 ? `${Math.round(minutes)} min` : 'a minute'}. {costWords(mode, seated.map((one) => one.model), models?.models ?? [])}
        {mode.supportsMultiTurn && ' You can ask on afterwards.'}
      </p>
    </div>
  )
}

function asked(value: unknown, field: Schema): { model: string; seat: number | null; role: string }[] {
  const role = (field.title ?? '').toLowerCase()
  if (Array.isArray(value)) {
    return value.flatMap((entry, place) => {
      const model = typeof entry === 'string' ? entry : (entry as { model?: string } | null)?.model
      return model && (field.items?.format === 'model' || typeof entry === 'object') ? [{ model, seat: place + 1, role }] : []
    })
  }
  return typeof value === 'string' && (field.format === 'model' || field.anyOf?.some((kind) => kind.format === 'model')) ? [{ model: value, seat: null, role }] : []
}

const CALLS_PER_SEAT: Record<string, number> = { council: 2, vote: 2, debate: 3, red_team: 3, specialist_panel: 2, blueprint: 3, tournament: 2, decompose: 3 }
const PROMPT_TOKENS = 3000
const COMPLETION_TOKENS = 1200

function costWords(mode: ModeView, asked: string[], known: ModelInfo[]): string {
  if (asked.length > 0 && asked.every((model) => model.startsWith('sim/'))) return 'Free: these models are simulated.'
  const calls = CALLS_PER_SEAT[mode.id] ?? 1
  let sum = 0
  for (const id of asked) {
    const model = known.find((one) => one.id === id)
    if (model?.promptPrice == null || model.completionPrice == null) return 'What it costs is not known beforehand.'
    sum += (calls * (PROMPT_TOKENS * model.promptPrice + COMPLETION_TOKENS * model.completionPrice)) / 1_000_000
  }
  return `Costs about ${dollars(sum)} with answers of ordinary length.`
}
