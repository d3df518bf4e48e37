// A seat keeps its colour and its sign in every picture. The sign alone is enough to know it by.

import type { ReactNode } from 'react'

const SIGNS = [
  'M8 1.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 1 0 0-13z',
  'M2 2h12v12H2z',
  'M8 1.500L15 14H1z',
  'M8 .5L15.500 8L8 15.500L.5 8z',
  'M8 .5l2.200 5 5.300.5-4 3.500 1.200 5.300L8 12l-4.700 2.800 1.200-5.300-4-3.500 5.300-.5z',
  'M5.500 1h5v4.500H15v5h-4.500V15h-5v-4.500H1v-5h4.500z',
  'M4.500 1.500h7L15.500 8l-4 6.500h-7L.5 8z',
  'M1 2h14L8 15z',
]
const RING = 'M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14zm0 3.500a3.500 3.500 0 1 1 0 7a3.500 3.500 0 1 1 0-7z'
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'star', 'cross', 'hexagon', 'wedge']

export const seatClass = (seat: number | null | undefined) =>
  seat == null ? 'seat-0' : `seat-${((seat - 1) % SIGNS.length) + 1}`
export const signPath = (seat: number | null | undefined) =>
  seat == null ? RING : SIGNS[(seat - 1) % SIGNS.length]!

export function Sign({
  seat,
  size = 14,
  hollow = false,
}: {
  seat: number | null | undefined
  size?: number
  hollow?: boolean
}) {
  const shape = seat == null ? 'ring' : SHAPES[(seat - 1) % SHAPES.length]
  return (
    <svg
      className={`sign ${hollow ? 'hollow' : ''} ${seatClass(seat)}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-shape={shape}
    >
      <path d={signPath(seat)} fillRule="evenodd" />
    </svg>
  )
}

/** A seat's sign inside a drawing, with its middle at this point. */
export function SignAt({
  seat,
  x,
  y,
  size = 14,
  hollow = false,
}: {
  seat: number | null | undefined
  x: number
  y: number
  size?: number
  hollow?: boolean
}) {
  const scale = size / 16
  return (
    <g
      className={seatClass(seat)}
      transform={`translate(${tenth(x - size / 2)} ${tenth(y - size / 2)}) scale(${scale})`}
    >
      <path className={hollow ? 'sign-hollow' : 'sign-shape'} d={signPath(seat)} fillRule="evenodd" />
    </g>
  )
}

/** Coordinates need no more than this. */
export const tenth = (value: number) => Math.round(value * 10) / 10

export function shortModel(model: string | null | undefined): string {
  return model ? model.slice(model.lastIndexOf('/') + 1) : ''
}

/** Whoever makes a model: the name people know, by how its id begins, and the place of its colour. */
const MAKERS: Record<string, [name: string, colour: number]> = {
  openai: ['OpenAI', 3],
  anthropic: ['Anthropic', 1],
  google: ['Google', 7],
  'meta-llama': ['Meta', 2],
  mistralai: ['Mistral', 5],
  deepseek: ['DeepSeek', 4],
  qwen: ['Qwen', 6],
  'x-ai': ['xAI', 8],
  perplexity: ['Perplexity', 2],
  cohere: ['Cohere', 6],
  amazon: ['Amazon', 5],
  microsoft: ['Microsoft', 3],
  nvidia: ['NVIDIA', 3],
}

/** A real model's maker; simulated models have none, and nobody knows who serves a model of one's own. */
export function makerOf(model: string | null | undefined): { name: string; colour: number } | null {
  const known = MAKERS[model?.split('/')[0] ?? '']
  return known ? { name: known[0], colour: known[1] } : null
}

/** Panel there: sign, model with its maker, and the seat's number or the role. A hollow sign: the chair stayed
 *  empty. */
export function SeatLabel({
  seat,
  model,
  role,
  hollow = false,
}: {
  seat?: number | null | undefined
  model?: string | null | undefined
  role?: ReactNode
  hollow?: boolean
}) {
  const place = role ?? (seat == null ? null : `seat\u00a0${seat}`)
  const maker = makerOf(model)
  return (
    <span className="who" title={model ?? undefined}>
      <Sign seat={seat} hollow={hollow} />
      <span className="name">
        {maker && (
          <span
            className={`maker maker-${maker.colour}`}
            data-letter={maker.name[0]}
            data-maker={maker.name}
            aria-hidden="true"
          />
        )}
        <span className="model">{model ? shortModel(model) : 'anonymous'}</span>{' '}
        {place && <span className="place">{place}</span>}
      </span>
    </span>
  )
}
