// A model keeps its colour and its sign in every mode and picture. The sign alone is enough to know a seat by.

import { type CSSProperties, type HTMLAttributes, type ReactNode, createContext, use } from 'react'

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
/** Where the middle of each shape is, from its top. */
const MIDDLES = [8, 8, 9.5, 8, 8, 8, 8, 6]
const COLOURS = 8
const MOST_SEATS = 12

/** What a model is known by: a shape, a colour, and holes where others of the panel would look the same. */
export interface Look {
  shape: number
  colour: number
  holes: number
}

const CAST = ['ada', 'bo', 'cleo', 'dov', 'eli', 'fay']

/** The same model always gets the same shape and colour; a maker's models share its colour. */
export function lookOf(model: string): Look {
  const [provider, name = ''] = model.split('/')
  const place = provider === 'sim' ? CAST.indexOf(name.split(':')[0]!) : -1
  if (place >= 0) return { shape: place, colour: place + 1, holes: 0 }
  const mark = hash(model)
  const colour = makerOf(model)?.colour ?? 1 + (Math.floor(mark / SIGNS.length) % COLOURS)
  return { shape: mark % SIGNS.length, colour, holes: 0 }
}

/** FNV-1a: spreads short names well. */
function hash(text: string): number {
  let mark = 0x811c9dc5
  for (const sign of text) mark = Math.imul(mark ^ sign.codePointAt(0)!, 0x01000193) >>> 0
  return (mark ^ (mark >>> 15)) >>> 0
}

export interface Seated {
  model: string
  look: Look
}

/** The seats of one run or form, by number. Where two would look the same, the second gets a hole, the third two. */
export function panelOf(models: Iterable<[seat: number, model: string]>): ReadonlyMap<number, Seated> {
  const alike = new Map<string, number>()
  const inOrder = [...models].sort(([one], [other]) => one - other)
  return new Map(
    inOrder.map(([seat, model]) => {
      const look = lookOf(model)
      const key = `${look.shape} ${look.colour}`
      const holes = alike.get(key) ?? 0
      alike.set(key, holes + 1)
      return [seat, { model, look: { ...look, holes: Math.min(holes, 3) } }]
    }),
  )
}

const Panel = createContext<ReadonlyMap<number, Seated>>(new Map())

/** Everything inside draws its seats as the models that hold them. */
export function PanelLooks({
  panel,
  children,
  ...rest
}: { panel: ReadonlyMap<number, Seated>; children: ReactNode } & HTMLAttributes<HTMLDivElement>) {
  // Always all of them, in one order: a page drawn live is then the same as one drawn from the store.
  const paints: CSSProperties = Object.fromEntries(
    Array.from({ length: MOST_SEATS }, (_, place) => {
      const colour = panel.get(place + 1)?.look.colour ?? (place % COLOURS) + 1
      return [`--paint-${place + 1}`, `var(--seat-${colour})`]
    }),
  )
  return (
    <Panel value={panel}>
      <div {...rest} style={paints}>
        {children}
      </div>
    </Panel>
  )
}

interface Who {
  seat?: number | null | undefined
  /** Known wherever there is no panel, and where another model stood in for the seat's own. */
  model?: string | null | undefined
}

/** A seat that nobody is named for is known by its number; without a number it is a ring. */
function useLook({ seat, model }: Who): Look | null {
  const seated = use(Panel).get(seat ?? 0)
  if (seated && (!model || model === seated.model)) return seated.look
  if (model) return lookOf(model)
  if (seat == null) return null
  return { shape: (seat - 1) % SIGNS.length, colour: ((seat - 1) % COLOURS) + 1, holes: 0 }
}

/** The colour of a seat of the panel, or of a model that holds none, for whatever has this class. */
export function seatClass(seat: number | null | undefined, model?: string | null): string {
  if (seat != null) return `seat-${((seat - 1) % MOST_SEATS) + 1}`
  return model ? `colour-${lookOf(model).colour}` : 'seat-0'
}

function path(look: Look | null): string {
  if (!look) return RING
  const middle = MIDDLES[look.shape]!
  const holes = Array.from({ length: look.holes }, (_, place) => {
    const x = 8 + (place - (look.holes - 1) / 2) * 3.6
    return `M${tenth(x)} ${middle - 1.7}a1.7 1.7 0 1 0 0 3.4a1.7 1.7 0 1 0 0-3.4z`
  })
  return SIGNS[look.shape]! + holes.join('')
}

const colourClass = (look: Look | null) => (look ? `colour-${look.colour}` : 'seat-0')

export function Sign({ seat, model, size = 14, hollow = false }: Who & { size?: number; hollow?: boolean }) {
  const look = useLook({ seat, model })
  return (
    <svg
      className={`sign ${hollow ? 'hollow' : ''} ${colourClass(look)}`}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      data-shape={look ? SHAPES[look.shape] : 'ring'}
    >
      <path d={path(look)} fillRule="evenodd" />
    </svg>
  )
}

/** A seat's sign inside a drawing, with its middle at this point. */
export function SignAt({
  seat,
  model,
  x,
  y,
  size = 14,
  hollow = false,
}: Who & { x: number; y: number; size?: number; hollow?: boolean }) {
  const look = useLook({ seat, model })
  const scale = size / 16
  return (
    <g
      className={colourClass(look)}
      transform={`translate(${tenth(x - size / 2)} ${tenth(y - size / 2)}) scale(${scale})`}
    >
      <path className={hollow ? 'sign-hollow' : 'sign-shape'} d={path(look)} fillRule="evenodd" />
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
      <Sign seat={seat} model={model} hollow={hollow} />
      <span className="name">
        {maker && (
          <span
            className={`maker colour-${maker.colour}`}
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
