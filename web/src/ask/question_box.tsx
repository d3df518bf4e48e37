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
