// A figure on its scale, with the names of the stretches of the scale.

import type { ReactNode } from 'react'
import './gauge.css'

export interface Band {
  from: number
  to: number
  name: string
  kind: 'good' | 'fair' | 'bad' | 'stood'
}

/** Nothing is drawn on the scale where there is no figure. */
export function Gauge({
  value,
  bands,
  text,
  label,
  children,
}: {
  value: number | null
  bands: Band[]
  text: string
  label: string
  children?: ReactNode
}) {
  const [least, most] = [bands[0]!.from, bands.at(-1)!.to]
  const x = (at: number) => `${((at - least) / (most - least)) * 100}%`
  const here = value === null ? undefined : (bands.find((band) => value < band.to) ?? bands.at(-1)!)
  return (
    <figure className="gauge">
      <figcaption>
        <span className={`gauge-figure ink-${here?.kind ?? 'stood'}`}>{text}</span>{' '}
        <span className="gauge-name">{here?.name}</span>
        {children}
      </figcaption>
      <svg
        width="100%"
        height="34"
        role="img"
        aria-label={`${label}: ${value === null ? 'no figure' : `${text}, ${here!.name}`}`}
      >
        <svg x="8" y="0" width="100%" height="34" className="gauge-scale">
          {bands.map((band) => (
            <rect
              key={band.from}
              className={band === here ? `gauge-band kind-${band.kind}` : 'gauge-band'}
              x={x(band.from)}
              width={`${((band.to - band.from) / (most - least)) * 100}%`}
              y="11"
              height="7"
            />
          ))}
          {[...bands.map((band) => band.from), most].map((at) => (
            <text key={at} x={x(at)} y="32" textAnchor="middle">
              {at}
            </text>
          ))}
          {value !== null && (
            <svg x={x(Math.min(most, Math.max(least, value)))} className="gauge-scale">
              <path className="gauge-mark" d="M-6 0H6L0 9zM0 9V18" />
            </svg>
          )}
        </svg>
      </svg>
    </figure>
  )
}
