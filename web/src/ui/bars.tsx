import type { ReactNode } from 'react'
import { seatClass } from './seats'

export interface Bar {
  key: string
  label: ReactNode
  seat?: number | null | undefined
  value: number
  text: ReactNode
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
            {bar.text}
            {bar.mark}
          </span>
        </li>
      ))}
    </ul>
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
