// What the pictures are made of.

import { diffWordsWithSpace } from 'diff'
import { type ReactNode, type ToggleEvent, useId, useMemo, useState } from 'react'
import { Markdown } from './markdown'
import { Who, seatClass } from './seats'

export const seconds = (ms: number) =>
  ms < 9950
    ? `${(ms / 1000).toFixed(1)} s`
    : ms < 59_500
      ? `${Math.round(ms / 1000)} s`
      : `${Math.floor(Math.round(ms / 1000) / 60)} min ${Math.round(ms / 1000) % 60} s`
export const figure = (value: number | null | undefined, digits = 1) =>
  value == null ? '–' : value.toFixed(digits)
export const percent = (share: number | null | undefined) =>
  share == null ? '–' : `${Math.round(share * 100)} %`
export const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`
export const words = (name: string) => name.replace(/_/g, ' ').replace(/^\w/, (first) => first.toUpperCase())
export const dollars = (amount: number) =>
  amount === 0 ? '$0' : amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`

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

export function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="part" aria-labelledby={id}>
      <h3 id={id}>
        {title}
        {note != null && <span className="note">{note}</span>}
      </h3>
      {children}
    </section>
  )
}

export const Badge = ({ kind, children }: { kind: string; children: ReactNode }) => (
  <span className={`badge badge-${kind}`}>{children}</span>
)

export interface SeatText {
  seat?: number | null | undefined
  model?: string | null | undefined
  role?: ReactNode
  text: string
  note?: ReactNode
  more?: ReactNode
  /** The text is a filled-in form. */
  lines?: boolean
  /** Why there is no text: the chair stayed empty. */
  missing?: ReactNode
}

const atTheEnd = (seat: number | null | undefined) => seat ?? 99
export const bySeat = (entries: SeatText[]) => entries.toSorted((a, b) => atTheEnd(a.seat) - atTheEnd(b.seat))

/** Texts of the seats, folded, side by side where there is room. */
export function Texts({ entries }: { entries: SeatText[] }) {
  return (
    <div className="texts">
      {entries.map((entry, place) =>
        entry.missing != null ? (
          <p key={place} className="absent">
            <Who hollow seat={entry.seat} model={entry.model} role={entry.role} />
            <span className="note">{entry.missing}</span>
          </p>
        ) : (
          <Fold
            key={place}
            className={`framed ${seatClass(entry.seat)}`}
            title={<Who seat={entry.seat} model={entry.model} role={entry.role} />}
            note={entry.note}
          >
            {entry.more}
            <Markdown text={entry.text} lines={entry.lines ?? false} />
          </Fold>
        ),
      )}
    </div>
  )
}

export function Table({ label, head, rows }: { label: string; head: ReactNode[]; rows: ReactNode[][] }) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="figures">
        <thead>
          <tr>
            {head.map((cell, place) => (
              <th key={place} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export interface Bar {
  key: string
  label: ReactNode
  seat?: number | null | undefined
  value: number
  shown: ReactNode
  mark?: ReactNode
}

/** Horizontal bars; the figure stands beside each, so that the length is only for the eye. */
export function Bars({ bars, most, label }: { bars: Bar[]; most: number; label: string }) {
  return (
    <ul className="bars" aria-label={label}>
      {bars.map((bar) => (
        <li key={bar.key}>
          <span className="bar-label">{bar.label}</span>
          <svg
            className={`bar ${seatClass(bar.seat)}`}
            viewBox="0 0 100 10"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <rect className="bar-ground" width="100" height="10" />
            <rect
              className="bar-length"
              width={most > 0 ? Math.max(0, Math.min(100, (bar.value / most) * 100)) : 0}
              height="10"
            />
          </svg>
          <span className="bar-figure">
            {bar.shown}
            {bar.mark}
          </span>
        </li>
      ))}
    </ul>
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

const LONGEST_DIFF = 60_000

/** The words that went and the words that came. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const changes = useMemo(
    () =>
      before.length + after.length > LONGEST_DIFF
        ? null
        : diffWordsWithSpace(before, after, { timeout: 1500 }),
    [before, after],
  )
  if (!changes)
    return <p className="hint">The two versions are too long, or too different, to compare word by word.</p>
  return (
    <div className="diff" dir="auto">
      {changes.map((change, place) =>
        change.added ? (
          <ins key={place}>{change.value}</ins>
        ) : change.removed ? (
          <del key={place}>{change.value}</del>
        ) : (
          <span key={place}>{change.value}</span>
        ),
      )}
    </div>
  )
}

export function WordChange({ before, after }: { before: number; after: number }) {
  const change = after - before
  return (
    <span className="word-change">
      {change === 0 ? 'same length' : `${change > 0 ? '+' : '−'}${many(Math.abs(change), 'word')}`}
    </span>
  )
}

/** A share of a whole in named parts. */
export function Stack({
  parts,
  label,
  none = 'none',
  of,
}: {
  parts: { name: string; count: number; kind: string }[]
  label: string
  none?: string
  of?: number
}) {
  const whole = of ?? parts.reduce((sum, part) => sum + part.count, 0)
  const there = parts.filter((part) => part.count > 0)
  let from = 0
  return (
    <figure className="stack">
      <svg
        viewBox="0 0 100 6"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${there.map((part) => `${part.count} ${part.name}`).join(', ') || none}`}
      >
        <rect className="bar-ground" width="100" height="6" />
        {there.map((part) => {
          const width = (part.count / whole) * 100
          const x = from
          from += width
          return (
            <rect
              key={part.name}
              className={`kind-${part.kind}`}
              x={x}
              width={Math.max(0, width - 0.4)}
              height="6"
            />
          )
        })}
      </svg>
      <figcaption>{there.map((part) => `${part.count} ${part.name}`).join(' · ') || none}</figcaption>
    </figure>
  )
}
