// Seats in their order: each with its sign, to be moved, changed and removed by hand or by key.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { PanelLooks, Sign, panelOf } from '../ui/seats'
import { seatModel } from './schema'

interface SeatListProps<T> {
  title: string
  value: T[]
  set: (value: T[]) => void
  min: number
  max: number
  newEntry: () => T
  add: string
  signs: boolean
  nameOf: (entry: T) => string
  children: (entry: T, place: number, change: (next: T) => void, move: (by: number) => void) => ReactNode
}

let lastSeatNumber = 0

/** Names for entries that may be equal: the same model may sit twice, and each seat keeps its place on the page. */
function useNames(count: number): string[] {
  const names = useRef<string[]>([])
  while (names.current.length < count) names.current.push(`seat${++lastSeatNumber}`)
  names.current.length = count
  return names.current
}

export function SeatList<T>({
  title,
  value,
  set,
  min,
  max,
  newEntry,
  add,
  signs,
  nameOf,
  children,
}: SeatListProps<T>) {
  const names = useNames(value.length)
  const list = useRef<HTMLOListElement>(null)
  const focusTarget = useRef<{ name: string; part: string } | null>(null)
  const [dragged, setDragged] = useState<number | null>(null)
  const [announcement, setAnnouncement] = useState('')
  // What had the focus keeps it, wherever it went.
  useEffect(() => {
    const { name, part } = focusTarget.current ?? {}
    focusTarget.current = null
    if (name) list.current?.querySelector<HTMLElement>(`[data-seat="${name}"] ${part}`)?.focus()
  })
  const moveTo = (from: number, to: number, part: string) => {
    if (to < 0 || to >= value.length || from === to) return
    const moved = value.toSpliced(from, 1).toSpliced(to, 0, value[from]!)
    const [name] = names.splice(from, 1)
    names.splice(to, 0, name!)
    focusTarget.current = { name: name!, part }
    setAnnouncement(`${nameOf(value[from]!)} is now number ${to + 1}`)
    set(moved)
  }
  const remove = (place: number) => {
    names.splice(place, 1)
    const next = names[Math.min(place, names.length - 1)]
    if (next) focusTarget.current = { name: next, part: '.remove' }
    setAnnouncement(`${nameOf(value[place]!)} was removed`)
    set(value.toSpliced(place, 1))
  }
  const addOne = () => {
    const name = `seat${++lastSeatNumber}`
    names.push(name)
    focusTarget.current = { name, part: 'input, select' }
    setAnnouncement('')
    set([...value, newEntry()])
  }
  return (
    <PanelLooks panel={panelOf(value.map((entry, place) => [place + 1, seatModel(entry)]))}>
      <ol className="seats" ref={list}>
        {value.map((entry, place) => (
          <li
            key={names[place]}
            data-seat={names[place]}
            className={dragged === place ? 'held' : ''}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== null) moveTo(dragged, place, '.grip')
              setDragged(null)
            }}
          >
            <span
              className="grip"
              draggable
              title="Drag to another place"
              onDragStart={(event) => {
                event.dataTransfer.setData('text/plain', nameOf(entry))
                setDragged(place)
              }}
              onDragEnd={() => setDragged(null)}
            >
              {signs ? (
                <Sign seat={place + 1} model={seatModel(entry)} size={18} />
              ) : (
                <span className="number">{place + 1}</span>
              )}
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
                disabled={value.length <= min}
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
        <button type="button" className="small" disabled={value.length >= max} onClick={addOne}>
          {add}
        </button>
        <span className="note">{min === max ? min : max < 50 ? `${min} to ${max}` : ''}</span>
      </p>
      <span className="unseen" role="status">
        {announcement}
      </span>
    </PanelLooks>
  )
}
