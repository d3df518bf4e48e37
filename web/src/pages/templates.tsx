// Ways of reasoning that a dialectic begins from: the library's, and one's own.

import { type SubmitEvent, useEffect, useId, useState } from 'react'
import { loadErrorOf, messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import { type TemplateText, templateApi } from '../api/traces'
import type { Scaffold } from '../api/wire'
import { humanize, plural } from '../ui/format'
import { Fold } from '../ui/section'

const BLANK: TemplateText = { name: '', whenToUse: '', steps: [], checks: [], exampleQuestions: [] }

export function Templates() {
  const [all, setAll] = useState<Scaffold[] | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const [trouble, setTrouble] = useState('')
  const load = () =>
    templateApi.list().then(
      (list) => {
        setAll(list.templates)
        setTrouble('')
      },
      (error: unknown) => setTrouble(loadErrorOf(error)),
    )
  const { recoveries } = useConnection()
  useEffect(() => void load(), [recoveries])
  if (!all)
    return trouble ? (
      <p className="notice bad" role="alert">
        {trouble}
      </p>
    ) : null
  const own = all.filter((one) => one.own)
  const library = all.filter((one) => !one.own)
  const onSave = async () => {
    setEdited(null)
    await load()
  }
  return (
    <section aria-labelledby="templates">
      <h2 id="templates">
        Templates <span className="note">{`${own.length} of yours, ${library.length} in the library`}</span>
      </h2>
      {own.length === 0 && edited !== 'new' && (
        <p className="empty">
          You have no templates of your own yet. A template is a way of reasoning: when it fits a question,
          the proposer follows its steps.
        </p>
      )}
      <ul className="traces" aria-label="Your own templates">
        {own.map((one) => (
          <li key={one.id}>
            {edited === one.id ? (
              <TemplateForm
                start={textOf(one)}
                send={(text) => templateApi.change(one.id, text)}
                onDone={onSave}
                onCancel={() => setEdited(null)}
              />
            ) : (
              <Fold title={<span dir="auto">{one.name}</span>} note={plural(one.steps.length, 'step')}>
                <Steps template={one} />
                <p className="line">
                  <button type="button" className="plain" onClick={() => setEdited(one.id)}>
                    Edit
                  </button>
                  <Remove name={one.name} remove={() => templateApi.remove(one.id).then(load)} />
                </p>
              </Fold>
            )}
          </li>
        ))}
      </ul>
      {edited === 'new' ? (
        <TemplateForm start={BLANK} send={templateApi.add} onDone={onSave} onCancel={() => setEdited(null)} />
      ) : (
        <button type="button" className="plain" onClick={() => setEdited('new')}>
          New template
        </button>
      )}
      <Fold className="library" title="The library" note={library.length}>
        {library.map((one) => (
          <Fold key={one.id} title={one.name} note={humanize(one.domain ?? 'general')}>
            <Steps template={one} />
          </Fold>
        ))}
      </Fold>
    </section>
  )
}

const textOf = (one: Scaffold): TemplateText => ({
  name: one.name,
  whenToUse: one.whenToUse,
  steps: one.steps,
  checks: one.checks ?? [],
  exampleQuestions: one.exampleQuestions ?? [],
})

const Steps = ({ template }: { template: Scaffold }) => (
  <div dir="auto">
    <p className="reason">{template.whenToUse}</p>
    <ol>
      {template.steps.map((one, place) => (
        <li key={place}>{one}</li>
      ))}
    </ol>
    {template.checks && template.checks.length > 0 && (
      <p className="hint">Checks: {template.checks.join('; ')}</p>
    )}
    {template.exampleQuestions && template.exampleQuestions.length > 0 && (
      <p className="hint">For questions like: {template.exampleQuestions.join(' · ')}</p>
    )}
  </div>
)

/** Asks once more; what is removed is gone. */
function Remove({ name, remove }: { name: string; remove: () => Promise<unknown> }) {
  const [sure, setSure] = useState(false)
  const [trouble, setTrouble] = useState('')
  if (!sure) {
    return (
      <button type="button" className="plain" onClick={() => setSure(true)}>
        Delete
      </button>
    )
  }
  return (
    <>
      <button
        type="button"
        className="stop"
        onClick={() => void remove().catch((error: unknown) => setTrouble(messageOf(error)))}
      >
        Delete “{name}” permanently
      </button>
      <button type="button" className="plain" onClick={() => setSure(false)}>
        Cancel
      </button>
      {trouble && <span role="alert">{trouble}</span>}
    </>
  )
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

function TemplateForm({
  start,
  send,
  onDone,
  onCancel,
}: {
  start: TemplateText
  send: (text: TemplateText) => Promise<unknown>
  onDone: () => Promise<void>
  onCancel: () => void
}) {
  const id = useId()
  const [name, setName] = useState(start.name)
  const [when, setWhen] = useState(start.whenToUse)
  const [steps, setSteps] = useState(start.steps.join('\n'))
  const [checks, setChecks] = useState(start.checks.join('\n'))
  const [questions, setQuestions] = useState(start.exampleQuestions.join('\n'))
  const [trouble, setTrouble] = useState('')
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setTrouble('')
    try {
      await send({
        name,
        whenToUse: when,
        steps: lines(steps),
        checks: lines(checks),
        exampleQuestions: lines(questions),
      })
      await onDone()
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  const area = (label: string, hint: string, value: string, set: (value: string) => void, rows: number) => (
    <p className="field wide">
      <label htmlFor={`${id}${label}`}>{label}</label>
      <textarea
        id={`${id}${label}`}
        rows={rows}
        value={value}
        aria-describedby={`${id}${label}-hint`}
        onChange={(event) => set(event.target.value)}
      />
      <span className="hint" id={`${id}${label}-hint`}>
        {hint}
      </span>
    </p>
  )
  return (
    <form className="template-form" onSubmit={(event) => void submit(event)}>
      <p className="field">
        <label htmlFor={`${id}name`}>Name</label>
        <input
          id={`${id}name`}
          type="text"
          value={name}
          required
          onChange={(event) => setName(event.target.value)}
        />
      </p>
      {area('When to use it', 'What kind of question it is for.', when, setWhen, 2)}
      {area('Steps', 'One per line, three to ten.', steps, setSteps, 5)}
      {area('Checks', 'What must be true at the end. One per line, optional.', checks, setChecks, 2)}
      {area(
        'Example questions',
        'One per line, two to eight. They decide when the template is used.',
        questions,
        setQuestions,
        3,
      )}
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      <p className="line">
        <button type="submit" className="primary">
          Save
        </button>
        <button type="button" className="plain" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  )
}
