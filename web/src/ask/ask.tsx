// The question, and the house it is put to.

import { useEffect, useRef, useState } from 'react'
import { ApiError, api } from '../api/client'
import { useConnection } from '../api/connection'
import type { ModeList, Models, RunEstimate } from '../api/wire'
import { clearDraft, currentDraft, saveDraft } from '../run/draft'
import type { PartOf } from '../run/mode_part'
import { EstimateLine, problemsOf, useEstimate } from './estimate'
import { ModePicker } from './mode_picker'
import { ModeSetup } from './mode_setup'
import { PresetBar, usePresets } from './presets'
import { QuestionBox, QuestionLength } from './question_box'
import type { Config, Schema } from './schema'
import { SeatLine } from './seat_line'
import { type Setup, changedFields, lastMode, setupFrom, useSetups, workTexts } from './setup'
import './ask.css'

export interface Question {
  question: string
  mode: string
  modeConfig?: Config
}

const EXAMPLES = [
  'Should a team of five keep one repository or several?',
  'Should I rent or buy a home in a city I may leave in five years?',
  'Explain why the sky is blue to a curious child, without saying anything false.',
]

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
  const [draft] = useState(currentDraft)
  const [mode, setMode] = useState(() => draft?.mode ?? lastMode(open) ?? modes.defaultMode)
  const [text, setText] = useState(draft?.text ?? '')
  const [setups, setSetups] = useSetups()
  const [askError, setAskError] = useState<ApiError | Error | null>(null)
  const [busy, setBusy] = useState(false)
  const [first] = useState(() => localStorage.getItem('moot.mode') === null)
  const [estimates, setEstimates] = useState<Record<string, RunEstimate>>({})
  const presets = usePresets()
  const { recoveries } = useConnection()
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
  const asked = useRef(false)
  useEffect(() => {
    if (!asked.current) saveDraft({ text, mode })
  }, [text, mode])
  // The setup of the run that a draft comes from is taken over once; from then on it is the form's.
  useEffect(() => {
    const schema = open.find((one) => one.id === draft?.mode)?.configSchema as Schema | undefined
    if (draft?.config && schema)
      setSetups({ ...setups, [draft.mode]: { config: changedFields(draft.config, schema), preset: null } })
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the form is opened
  }, [])
  useEffect(
    () =>
      void api.estimates().then(
        (answer) => setEstimates(answer.estimates),
        () => undefined,
      ),
    [recoveries],
  )
  if (!chosen) return <p className="notice">No modes are available on this server.</p>
  const change = (next: Setup) => {
    setAskError(null)
    setSetups({ ...setups, [chosen.id]: next })
  }
  const allProblems = askError instanceof ApiError ? { ...problems, ...problemsOf(askError) } : problems
  const ask = async () => {
    if (busy) return
    setAskError(null)
    if (!text.trim()) {
      setAskError(new Error('Type a question first.'))
      box.current?.focus()
      return
    }
    setBusy(true)
    localStorage.setItem('moot.mode', chosen.id)
    const question: Question = { question: text, mode: chosen.id }
    if (Object.keys(setup.config).length > 0) question.modeConfig = setup.config
    await onAsk(question).then(
      // The house stays for the next question, the text it worked on does not.
      () => {
        asked.current = true
        clearDraft()
        setSetups({ ...setups, [chosen.id]: { ...setup, config: workTexts(setup.config, schema, false) } })
      },
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
        <h1>Ask a question</h1>
        <p className="hint keys">
          <kbd>Enter</kbd> asks · <kbd>Shift</kbd>+<kbd>Enter</kbd> new line · <kbd>/</kbd> search
        </p>
      </div>
      {first && (
        <p className="welcome">
          Several models answer, compare notes and settle on one answer, and you can see why. Type a question
          or pick an example, then press Enter.
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
        <span className="note">Examples</span>
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

const workField = (schema: Schema) =>
  Object.values(schema.properties ?? {}).find((field) => field.format === 'text')?.title
