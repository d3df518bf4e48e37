// A text with places marked in it, and the way from a place to what is said of it and back.

import { Fragment, useEffect, useRef } from 'react'
import { type Annotation, segmentsOf } from './annotations'
import './annotated.css'

export function AnnotatedText({
  text,
  annotations,
  current,
  pick,
  label,
}: {
  text: string
  annotations: Annotation[]
  current: string | null
  pick: (id: string) => void
  label: string
}) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (current) box.current?.querySelector('mark.current')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <div className="annotated" dir="auto" ref={box} tabIndex={0} role="group" aria-label={label}>
      {segmentsOf(text, annotations).map((piece, index) => (
        <Fragment key={index}>
          {piece.inside.length > 0 ? (
            <mark
              className={`spot spot-${piece.inside.at(-1)!.kind} ${piece.inside.some((place) => place.id === current) ? 'current' : ''}`}
              onClick={() => pick(piece.inside.at(-1)!.id)}
            >
              {piece.text}
            </mark>
          ) : (
            piece.text
          )}
          {piece.ends.map((place) => (
            <button
              key={place.id}
              type="button"
              data-kept
              className={`spot-name spot-${place.kind}`}
              aria-pressed={place.id === current}
              aria-label={`${place.name}, ${place.label}`}
              onClick={() => pick(place.id)}
            >
              {place.name}
              {place.sign && ` ${place.sign}`}
            </button>
          ))}
        </Fragment>
      ))}
    </div>
  )
}

/** Opens what is said of a place and brings it into view. */
export function reveal(id: string) {
  const element = document.getElementById(id)
  const fold = element?.closest('details') ?? element?.querySelector('details')
  if (fold) fold.open = true
  element?.scrollIntoView({ block: 'nearest' })
  element?.querySelector<HTMLElement>('summary')?.focus({ preventScroll: true })
}
