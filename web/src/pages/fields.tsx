// What the forms for accounts are made of.

import { type ReactNode, type SubmitEvent, useId, useState } from 'react'
import { messageOf } from '../api/client'
import { Copy } from '../ui/copy'
import './accounts.css'

export function Field({
  label,
  value,
  set,
  type = 'text',
  autoComplete,
  hint,
  autoFocus = false,
  required = true,
}: {
  label: string
  value: string
  set: (value: string) => void
  type?: 'text' | 'password' | 'number'
  autoComplete: string
  hint?: string
  autoFocus?: boolean
  required?: boolean
}) {
  const id = useId()
  return (
    <p className="account-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        required={required}
        autoFocus={autoFocus}
        autoComplete={autoComplete}
        {...(type === 'number' ? { min: 0, step: 'any' } : {})}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => set(event.target.value)}
      />
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </p>
  )
}

/** A form that says what went wrong, and takes one request at a time. */
export function Form({
  label,
  submit,
  children,
  onSubmit,
}: {
  label: string
  submit: string
  children: ReactNode
  onSubmit: () => Promise<void>
}) {
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  const go = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setTrouble('')
    await onSubmit().catch((error: unknown) => setTrouble(messageOf(error)))
    setBusy(false)
  }
  return (
    <form className="account-form" aria-label={label} onSubmit={(event) => void go(event)}>
      {children}
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      <p>
        <button type="submit" className="primary" disabled={busy}>
          {submit}
        </button>
      </p>
    </form>
  )
}

/** A link or token that is to be taken along. */
export function Secret({ label, text, hint }: { label: string; text: string; hint: string }) {
  const id = useId()
  return (
    <div className="notice secret" role="status">
      <p>
        <label htmlFor={id}>{label}</label>
      </p>
      <p className="line">
        <input id={id} type="text" readOnly value={text} onFocus={(event) => event.currentTarget.select()} />
        <Copy text={text} label={`Copy: ${label}`} />
      </p>
      <p className="hint">{hint}</p>
    </div>
  )
}

/** Asks once more before something is done that cannot be undone. */
export function Sure({
  label,
  question,
  act,
}: {
  label: string
  question: string
  act: () => Promise<unknown>
}) {
  const [sure, setSure] = useState(false)
  const [trouble, setTrouble] = useState('')
  if (!sure) {
    return (
      <button type="button" className="small" onClick={() => setSure(true)}>
        {label}
      </button>
    )
  }
  return (
    <span className="line sure">
      <button
        type="button"
        className="stop"
        onClick={() =>
          void act().then(
            () => setSure(false),
            (error: unknown) => setTrouble(messageOf(error)),
          )
        }
      >
        {question}
      </button>
      <button type="button" className="small" onClick={() => setSure(false)}>
        Cancel
      </button>
      {trouble && <span role="alert">{trouble}</span>}
    </span>
  )
}

export const day = (moment: string) => new Date(moment).toLocaleDateString('en', { dateStyle: 'medium' })
