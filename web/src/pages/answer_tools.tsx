// What one does with an answer: copy it, ask once more, change the question, put it to another mode.

import { useState } from 'react'
import { api, messageOf } from '../api/client'
import type { ModeView } from '../api/wire'
import { partOf } from '../modes'
import { startDraft } from '../run/draft'
import { Copy } from '../ui/copy'
import { ShareLinks } from './share_run'

interface AnswerToolsProps {
  runId: string
  question: string
  mode: string
  modes: ModeView[]
  /** The answer, or null where there is none. */
  answer: string | null
  onRegenerate: (config: Record<string, unknown>) => Promise<void>
}

export function AnswerTools({ runId, question, mode, modes, answer, onRegenerate }: AnswerToolsProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const [choosing, setChoosing] = useState(false)
  const [sharing, setSharing] = useState(false)
  const withConfig = async (act: (config: Record<string, unknown>) => Promise<void> | void) => {
    setBusy(true)
    setError('')
    try {
      await act((await api.run(runId)).config)
    } catch (problem) {
      setError(messageOf(problem))
    }
    setBusy(false)
  }
  return (
    <div className="answer-tools">
      <p className="line">
        {answer && <Copy text={answer} label="Copy the answer" />}
        <button
          type="button"
          className="small"
          disabled={busy}
          title="Ask the same question again, with the same mode and panel"
          onClick={() => void withConfig(onRegenerate)}
        >
          Regenerate
        </button>
        <button
          type="button"
          className="small"
          disabled={busy}
          onClick={() => void withConfig((config) => startDraft({ text: question, mode, config }))}
        >
          Edit and ask again
        </button>
        <button
          type="button"
          className="small"
          aria-expanded={choosing}
          onClick={() => setChoosing(!choosing)}
        >
          Ask in another mode
        </button>
        <button
          type="button"
          className="small online"
          aria-expanded={sharing}
          onClick={() => setSharing(!sharing)}
        >
          Share
        </button>
      </p>
      {choosing && (
        <OtherMode
          question={question}
          answer={answer}
          modes={modes.filter((one) => one.available && one.id !== mode)}
        />
      )}
      {sharing && <ShareLinks runId={runId} />}
      {error && (
        <p className="wrong" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

interface Schema {
  properties?: Record<string, { format?: string }>
}

/** The field for the text that a mode works on, where it has one beside the question. */
const textField = (mode: ModeView) =>
  Object.entries((mode.configSchema as Schema).properties ?? {}).find(
    ([, field]) => field.format === 'text',
  )?.[0]

function OtherMode({
  question,
  answer,
  modes,
}: {
  question: string
  answer: string | null
  modes: ModeView[]
}) {
  const [id, setId] = useState(modes[0]?.id ?? '')
  const [withAnswer, setWithAnswer] = useState(true)
  const mode = modes.find((one) => one.id === id)
  if (!mode) return null
  const field = textField(mode)
  const judges = answer !== null && (field !== undefined || partOf(mode.id).judgesText === true)
  const go = () => {
    if (!judges || !withAnswer) startDraft({ text: question, mode: mode.id })
    else if (field) startDraft({ text: question, mode: mode.id, config: { [field]: answer } })
    else startDraft({ text: `${question}\n\n${answer}`, mode: mode.id })
  }
  return (
    <p className="line other-mode">
      <label>
        Mode{' '}
        <select autoFocus value={id} onChange={(event) => setId(event.target.value)}>
          {modes.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      {judges && (
        <label>
          <input
            type="checkbox"
            checked={withAnswer}
            onChange={(event) => setWithAnswer(event.target.checked)}
          />{' '}
          Include this answer
        </label>
      )}
      <button type="button" className="plain" onClick={go}>
        Continue
      </button>
    </p>
  )
}
