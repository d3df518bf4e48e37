// What a page is laid out with: titled sections, folds, badges, switches.

import { type ReactNode, type ToggleEvent, useId, useState } from 'react'

export function Section({
  title,
  note,
  folded,
  children,
}: {
  title: string
  note?: ReactNode
  /** A stage that is over: its heading stands for it until someone opens it. Left out where it never folds. */
  folded?: boolean
  children: ReactNode
}) {
  const id = useId()
  const heading = (
    <h3 id={id}>
      {title}
      {note != null && <span className="note">{note}</span>}
    </h3>
  )
  return (
    <section className="part" aria-labelledby={id}>
      {folded === undefined ? (
        <>
          {heading}
          {children}
        </>
      ) : (
        <details className="stage" open={!folded}>
          <summary>{heading}</summary>
          {children}
        </details>
      )}
    </section>
  )
}

export const Badge = ({ kind, children }: { kind: string; children: ReactNode }) => (
  <span className={`badge badge-${kind}`}>{children}</span>
)

export function Fold({
  title,
  note,
  open = false,
  children,
  className = '',
  onOpen,
}: {
  title: ReactNode
  note?: ReactNode
  open?: boolean
  children: ReactNode
  className?: string
  onOpen?: () => void
}) {
  // What is folded is drawn when it is first opened: long texts cost nothing until someone reads them.
  const [seen, setSeen] = useState(open)
  const toggled = (event: ToggleEvent<HTMLDetailsElement>) => {
    if (!event.currentTarget.open) return
    setSeen(true)
    onOpen?.()
  }
  return (
    <details className={`fold ${className}`} open={open} onToggle={toggled}>
      <summary>
        <span className="fold-title">{title}</span>
        {note != null && <span className="note">{note}</span>}
      </summary>
      <div className="fold-body">{seen && children}</div>
    </details>
  )
}

export function Switch({
  on,
  set,
  children,
}: {
  on: boolean
  set: (on: boolean) => void
  children: ReactNode
}) {
  return (
    <button type="button" className="switch" aria-pressed={on} onClick={() => set(!on)}>
      {children}
    </button>
  )
}
