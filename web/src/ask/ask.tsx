// The question, and the mode and panel it is put to.

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { ApiError, api } from '../api/client'
import { useConnection } from '../api/connection'
import type { ModeList, Models, RunEstimate } from '../api/wire'
import { clearDraft, currentDraft, saveDraft } from '../run/draft'
import type { ModePart, PartOf } from '../run/mode_part'
import { EstimateLine, ShortContexts, problemsOf, useEstimate } from './estimate'
import { Fields } from './form'
import { LimitLine } from './limits'
import { ModePicker } from './mode_picker'
import { ModelNotice } from './model_notice'
import { ModeSetup } from './mode_setup'
import { PresetBar, usePresets } from './presets'
import { QuestionBox, QuestionLength, TextBox } from './question_box'
import { type Config, type Schema, choosesKind } from './schema'
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
  const [allModes, setAllModes] = useState(false)
  const presets = usePresets()
  const { recoveries } = useConnection()
  const box = useRef<HTMLTextAreaElement>(null)
  const chosen = open.find((one) => one.id === mode) ?? open[0]
  const schema = (chosen?.configSchema ?? {}) as Schema
  const part = partOf(chosen?.id ?? '')
  const ownDefault = presets.all.find((one) => one.mode === chosen?.id && one.isDefault)
  const setup =
    setups[chosen?.id ?? ''] ??
    setupFrom(ownDefault?.missingKeys.length === 0 ? ownDefault : undefined, schema)
  const passedOver = ownDefault && setup.preset === null ? ownDefault : undefined
  const { estimate, problems } = useEstimate(chosen?.id ?? '', setup.config, text)
  const textBox = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    // Whoever has just deleted something by key has the way back under their hand.
    if (!document.activeElement?.closest('.toast')) (textBox.current ?? box.current)?.focus()
  }, [])
  // The notice stays as it is until there is news of the mode that was chosen.
  const latest = useRef(estimate)
  if (estimate) latest.current = estimate
  // A mode may ask for a text above its list: the list stays where the hand is.
  const picker = useRef<HTMLFieldSetElement>(null)
  const pickerTop = useRef<number | null>(null)
  useLayoutEffect(() => {
    if (pickerTop.current !== null) window.scrollBy(0, topOf(picker) - pickerTop.current)
    pickerTop.current = null
  }, [mode])
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
  const missingKeys = estimate?.missingKeys ?? []
  const allProblems = askError instanceof ApiError ? { ...problems, ...problemsOf(askError) } : problems
  const ask = async () => {
    if (busy) return
    setAskError(null)
    const request = requestOf(text, setup.config, part)
    if (!request.question.trim()) {
      setAskError(new Error(part.text ? 'Paste a text or type a question first.' : 'Type a question first.'))
      ;(textBox.current ?? box.current)?.focus()
      return
    }
    if (missingKeys.length > 0) {
      document.getElementById('use-other-models')?.focus()
      return
    }
    setBusy(true)
    localStorage.setItem('moot.mode', chosen.id)
    const question: Question = { question: request.question, mode: chosen.id }
    if (Object.keys(request.config).length > 0) question.modeConfig = request.config
    await onAsk(question).then(
      // The panel stays for the next question, the text it worked on does not.
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
          <kbd>Enter</kbd> to ask · <kbd>Shift</kbd>+<kbd>Enter</kbd> for a new line · <kbd>/</kbd> to search
        </p>
      </div>
      {first && (
        <p className="welcome">
          Several models answer, compare notes and settle on one answer, and you can see why. Type a question
          or pick an example, then press Enter.
        </p>
      )}
      {part.text && (
        <TextBox
          box={textBox}
          label={part.text.label}
          placeholder={part.text.placeholder}
          text={textIn(setup.config, part.text.field)}
          problem={allProblems[`modeConfig.${part.text.field}`]}
          set={(next) =>
            change({ ...setup, config: withField(setup.config, part.text!.field, next || undefined) })
          }
          ask={() => void ask()}
        />
      )}
      <QuestionBox
        box={box}
        text={text}
        set={(next) => {
          setText(next)
          setAskError(null)
        }}
        ask={() => void ask()}
        rows={part.text ? 1 : 3}
        label={part.label}
        placeholder={part.placeholder}
      />
      <QuestionLength text={text} most={chosen.maxQuestionChars} elsewhere={workField(schema)} />
      {choosesKind(schema) && (
        <div className="form kind">
          <Fields
            schema={schema}
            value={setup.config}
            defaults={estimate?.config}
            set={(config) => change({ ...setup, config })}
            context={{ root: schema, models: models?.models ?? [], problems: allProblems }}
            path="modeConfig"
            group="work"
          />
        </div>
      )}
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
          <LimitLine version={askError} />
        </div>
      </div>
      {estimate && <ShortContexts estimate={estimate} />}
      <ModelNotice
        models={models}
        estimate={latest.current}
        passedOver={passedOver}
        reset={() => change(setupFrom(undefined, schema, workTexts(setup.config, schema, true)))}
      />
      <ModePicker
        box={picker}
        modes={open}
        chosen={chosen}
        choose={(next) => {
          pickerTop.current = topOf(picker)
          setMode(next)
          setAskError(null)
        }}
        estimates={estimates}
        all={allModes}
        showAll={setAllModes}
      />
      <p className={part.text || part.judgesText ? 'examples unsuited' : 'examples'}>
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
      <ModeSetup
        key={chosen.id}
        mode={chosen}
        part={part}
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

/** What is sent: a text without a question is the question itself, or is asked about in the mode's own words. */
export function requestOf(
  question: string,
  config: Config,
  { text }: ModePart,
): { question: string; config: Config } {
  const given = text ? textIn(config, text.field) : ''
  if (!text || !given.trim() || question.trim()) return { question, config }
  return text.question
    ? { question: text.question, config }
    : { question: given, config: withField(config, text.field, undefined) }
}

const withField = (config: Config, field: string, value: string | undefined): Config =>
  Object.fromEntries(Object.entries({ ...config, [field]: value }).filter(([, one]) => one !== undefined))

const textIn = (config: Config, field: string): string => {
  const text = config[field]
  return typeof text === 'string' ? text : ''
}

const topOf = (element: RefObject<Element | null>) => element.current?.getBoundingClientRect().top ?? 0

const workField = (schema: Schema) =>
  Object.values(schema.properties ?? {}).find((field) => field.format === 'text')?.title
