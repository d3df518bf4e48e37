// Drawings: as wide as their place, one unit a pixel, so that letters keep their size on a phone.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { tenth } from './seats'
import './charts.css'

const NARROWEST = 260
const WIDEST = 736

/** A drawing told its width. `label` says in words all that the drawing shows. */
export function Drawing({
  label,
  height,
  className = '',
  widest = WIDEST,
  caption,
  children,
}: {
  label: string
  height: number | ((width: number) => number)
  className?: string
  widest?: number
  caption?: ReactNode
  children: (width: number) => ReactNode
}) {
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(Math.min(640, widest))
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const measure = () => setWidth(Math.max(NARROWEST, Math.min(widest, Math.floor(element.clientWidth))))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [widest])
  return (
    <figure className={`drawing ${className}`} ref={place}>
      <svg
        width={width}
        viewBox={`0 0 ${width} ${typeof height === 'number' ? height : height(width)}`}
        role="img"
        aria-label={label}
      >
        {children(width)}
      </svg>
      {caption != null && <figcaption>{caption}</figcaption>}
    </figure>
  )
}

const LETTER = 6.7

/** As much of a text as fits into so many pixels. */
export function truncate(text: string, pixels: number): string {
  const letters = Math.floor(pixels / LETTER)
  const all = Array.from(text)
  return all.length <= letters
    ? text
    : letters < 2
      ? ''
      : `${all
          .slice(0, letters - 1)
          .join('')
          .trimEnd()}…`
}

/** A band that leaves one upright line and arrives at another. */
export function ribbon(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  thick: number,
  thickAfter = thick,
): string {
  const middle = tenth((x1 + x2) / 2)
  const [a, b, c, d] = [tenth(x1), tenth(y1), tenth(x2), tenth(y2)]
  return `M${a} ${b}C${middle} ${b} ${middle} ${d} ${c} ${d}v${tenth(thickAfter)}C${middle} ${tenth(d + thickAfter)} ${middle} ${tenth(b + thick)} ${a} ${tenth(b + thick)}z`
}

/** Round values of an axis, a few, within what is shown. */
export function ticks(low: number, high: number, count = 4): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, place) =>
    Number(((first + place) * step).toPrecision(12)),
  )
}

export interface Ray {
  key: string
  label: string
}

/** Closed where all scores are there; where one is missing the line has a gap, never a zero. */
export function webPath(
  scores: readonly (number | null | undefined)[],
  at: (place: number, score: number) => readonly [number, number],
): string {
  const whole = scores.every((score) => score != null)
  const order = [...scores.keys(), ...(whole ? [] : [0])]
  let path = ''
  let pen = false
  for (const place of order) {
    const score = scores[place]
    if (score == null) pen = false
    else {
      path += `${pen ? 'L' : 'M'}${at(place, score).map(tenth).join(' ')}`
      pen = true
    }
  }
  return whole && path ? `${path}z` : path
}

/** A radar: one thin line per seat, the whole bold. */
export function Radar({
  rays,
  most,
  webs,
  label,
  caption,
  format = String,
}: {
  rays: readonly Ray[]
  most: number
  webs: { key: string; className: string; scores: readonly (number | null | undefined)[] }[]
  label: string
  caption?: ReactNode
  format?: (score: number) => string
}) {
  const longest = Math.max(...rays.map((ray) => ray.label.length))
  const [up, down] = [26, 24]
  const reachIn = (width: number) => Math.max(60, Math.min(92, width / 2 - longest * LETTER - 6))
  return (
    <Drawing
      className="radar"
      label={label}
      height={(width) => Math.round(2 * reachIn(width) + up + down)}
      widest={460}
      caption={caption}
    >
      {(width) => {
        const reach = reachIn(width)
        const [cx, cy] = [width / 2, up + reach]
        const at = (place: number, score: number) => {
          const angle = (place / rays.length) * 2 * Math.PI - Math.PI / 2
          const far = reach * (score / most)
          return [cx + Math.cos(angle) * far, cy + Math.sin(angle) * far] as const
        }
        return (
          <>
            {[0.25, 0.5, 0.75, 1].map((share) => (
              <path
                key={share}
                className="grid"
                d={webPath(
                  rays.map(() => share * most),
                  at,
                )}
              />
            ))}
            {rays.map((ray, place) => (
              <path
                key={ray.key}
                className="grid"
                d={`M${cx} ${cy}L${at(place, most).map(tenth).join(' ')}`}
              />
            ))}
            <text className="soft halo" x={cx + 4} y={cy - reach + 12}>
              {format(most)}
            </text>
            {webs.map((web) => (
              <g key={web.key} className={web.className}>
                <path
                  className={web.scores.some((score) => score == null) ? 'web broken' : 'web'}
                  d={webPath(web.scores, at)}
                />
                {web.scores.map(
                  (score, place) =>
                    score != null && (
                      <circle
                        key={place}
                        r="2.5"
                        cx={tenth(at(place, score)[0])}
                        cy={tenth(at(place, score)[1])}
                      />
                    ),
                )}
              </g>
            ))}
            {rays.map((ray, place) => {
              const [x, y] = at(place, most * 1.09)
              const side = Math.abs(x - cx) < 10 ? 'middle' : x > cx ? 'start' : 'end'
              const room = side === 'middle' ? width : side === 'start' ? width - x : x
              return (
                <text
                  key={ray.key}
                  className="halo"
                  x={tenth(x)}
                  y={tenth(y + (y > cy ? 10 : y < cy - reach ? -2 : 4))}
                  textAnchor={side}
                >
                  {truncate(ray.label, room)}
                  <title>{ray.label}</title>
                </text>
              )
            })}
          </>
        )
      }}
    </Drawing>
  )
}
