// Seats in their order: each with its sign, to be moved, changed and removed by hand or by key.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Sign } from '../ui/seats'

interface Seats<T> {
  title: string
  value: T[]
  set: (value: T[]) => void
  fewest: number
  most: number
  fresh: () => T
  add: string
  signs: boolean
  nameOf: (entry: T) => string
  children: (entry: T, place: number, change: (next: T) => void, move: (by: number) => void) => ReactNode
}

let dealt = 0

/** Names for entries that may be equal: the same model may sit twice, and each seat keeps its place on the page. */
function useNames(count: number): string[] {
  const names = useRef<string[]>([])
  while (names.current.length < count) names.current.push(`seat${++dealt}`)
  names.current.length = count
  return names.current
}

export function SeatList<T>({
  title,
  value,
  set,
  fewest,
  most,
  fresh,
  add,
  signs,
  nameOf,
  children,
}: Seats<T>) {
  const names = useNames(value.length)
  const list = useRef<HTMLOListElement>(null)
  const wanted = useRef<{ name: string; part: string } | null>(null)
  const [held, setHeld] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  // What had the focus keeps it, wherever it went.
  useEffect(() => {
    const { name, part } = wanted.current ?? {}
    wanted.current = null
    if (name) list.current?.querySelector<HTMLElement>(`[data-seat="${name}"] ${part}`)?.focus()
  })
  const moveTo = (from: number, to: number, part: string) => {
    if (to < 0 || to >= value.length || from === to) return
    const moved = value.toSpliced(from, 1).toSpliced(to, 0, value[from]!)
    const [name] = names.splice(from, 1)
    names.splice(to, 0, name!)
    wanted.current = { name: name!, part }
    setSaid(`${nameOf(value[from]!)} is now number ${to + 1}`)
    set(moved)
  }
  const remove = (place: number) => {
    names.splice(place, 1)
    const next = names[Math.min(place, names.length - 1)]
    if (next) wanted.current = { name: next, part: '.remove' }
    setSaid(`${nameOf(value[place]!)} was removed`)
    set(value.toSpliced(place, 1))
  }
  const addOne = () => {
    const name = `seat${++dealt}`
    names.push(name)
    wanted.current = { name, part: 'input, select' }
    setSaid('')
    set([...value, fresh()])
  }
  return (
    <>
      <ol className="seats" ref={list}>
        {value.map((entry, place) => (
          <li
            key={names[place]}
            data-seat={names[place]}
            className={held === place ? 'held' : ''}
            onDragOver={(event) => held !== null && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (held !== null) moveTo(held, place, '.grip')
              setHeld(null)
            }}
          >
            <span
              className="grip"
              draggable
              title="Drag to another place"
              onDragStart={(event) => {
                event.dataTransfer.setData('text/plain', nameOf(entry))
                setHeld(place)
              }}
              onDragEnd={() => setHeld(null)}
            >
              {signs ? <Sign seat={place + 1} size={18} /> : <span className="number">{place + 1}</span>}
            </span>
            {children(
              entry,
              place,
              (next) => set(value.with(place, next)),
              (by) => moveTo(place, place + by, 'input'),
            )}
            <span className="seat-tools">
              <button
                type="button"
                className="small up"
                disabled={place === 0}
                aria-label={`Move ${title} ${place + 1} up`}
                onClick={() => moveTo(place, place - 1, place === 1 ? '.down' : '.up')}
              >
                ↑
              </button>
              <button
                type="button"
                className="small down"
                disabled={place === value.length - 1}
                aria-label={`Move ${title} ${place + 1} down`}
                onClick={() => moveTo(place, place + 1, place === value.length - 2 ? '.up' : '.down')}
              >
                ↓
              </button>
              <button
                type="button"
                className="small remove"
                disabled={value.length <= fewest}
                aria-label={`Remove ${title} ${place + 1}`}
                onClick={() => remove(place)}
              >
                ×
              </button>
            </span>
          </li>
        ))}
      </ol>
      <p className="line seats-end">
        <button type="button" className="small" disabled={value.length >= most} onClick={addOne}>
          {add}
        </button>
        <span className="note">{fewest === most ? fewest : most < 50 ? `${fewest} to ${most}` : ''}</span>
      </p>
      <span className="unseen" role="status">
        {said}
      </span>
    </>
  )
}
