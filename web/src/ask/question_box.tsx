import type { KeyboardEvent } from 'react'

/** Said when it matters: near the limit, and beyond. */
export function QuestionLength({
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
      {over && elsewhere && ` Put longer texts into “${elsewhere}”.`}
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
  rows = 3,
}: {
  box?: React.Ref<HTMLTextAreaElement>
  text: string
  set: (text: string) => void
  ask: () => void
  label?: string | undefined
  placeholder?: string | undefined
  rows?: number
}) {
  return (
    <textarea
      ref={box}
      className="question-box"
      aria-label={label}
      placeholder={placeholder ?? `${label}…`}
      rows={rowsFor(text, rows)}
      value={text}
      onChange={(event) => set(event.target.value)}
      onKeyDown={askOnEnter(ask)}
      dir="auto"
    />
  )
}

const rowsFor = (text: string, fewest: number) =>
  Math.min(12, Math.max(fewest, text.split('\n').length + Math.floor(text.length / 90)))

const askOnEnter = (ask: () => void) => (event: KeyboardEvent) => {
  // While an input method composes, Enter chooses a word.
  if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
    event.preventDefault()
    ask()
  }
}

/** The text that is judged, above the question. */
export function TextBox({
  box,
  label,
  placeholder,
  text,
  problem,
  set,
  ask,
}: {
  box: React.Ref<HTMLTextAreaElement>
  label: string
  placeholder: string
  text: string
  problem: string | undefined
  set: (text: string) => void
  ask: () => void
}) {
  return (
    <p className="field text-box">
      <label htmlFor="text-to-judge">{label}</label>
      <textarea
        ref={box}
        id="text-to-judge"
        className="question-box"
        placeholder={placeholder}
        rows={rowsFor(text, 5)}
        value={text}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? 'text-to-judge-problem' : undefined}
        onChange={(event) => set(event.target.value)}
        onKeyDown={askOnEnter(ask)}
        dir="auto"
      />
      {problem && (
        <span className="wrong" id="text-to-judge-problem">
          {problem}
        </span>
      )}
    </p>
  )
}
