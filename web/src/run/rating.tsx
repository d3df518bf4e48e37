// What a person thinks of a dialectic, from 1 to 10, with a note.

import { messageOf } from '../api/client'
import './rating.css'
import { useEffect, useState } from 'react'
import { Badge } from '../ui/section'
import { reasonWords, shelf } from '../api/traces'
import type { TraceSummary } from '../api/wire'

interface Kept {
  rating: number | null
  note: string
  autoScore: number | null
}

const GOOD = 8

/** `reasons`: why the run could not be learned from, its quality apart; null where nobody has said. */
export function Rating({
  traceId,
  reasons,
  onChange,
}: {
  traceId: string
  reasons: readonly string[] | null
  onChange?: (trace: TraceSummary) => void
}) {
  const [kept, setKept] = useState<Kept | null>(null)
  useEffect(() => {
    let wanted = true
    shelf.trace(traceId).then(
      (trace) =>
        wanted &&
        setKept({
          rating: trace.user_rating,
          note: trace.ext.rating_note ?? '',
          autoScore: trace.auto_score,
        }),
      () => undefined, // a trace that is gone cannot be rated
    )
    return () => {
      wanted = false
    }
  }, [traceId])
  if (!kept) return null
  const changed = (trace: TraceSummary) => {
    setKept({ rating: trace.user_rating, note: trace.rating_note ?? '', autoScore: trace.auto_score })
    onChange?.(trace)
  }
  const quality = kept.rating ?? kept.autoScore
  const against = [...(reasons ?? []), ...(quality === null || quality < GOOD ? ['low_quality'] : [])]
  return (
    <div className="rating">
      <RatingForm key={`${kept.rating} ${kept.note}`} traceId={traceId} kept={kept} set={changed} />
      <p className="line">
        {kept.rating !== null && (
          <span className="rated">
            Your rating: <strong>{kept.rating} of 10</strong>
            {kept.note && <q dir="auto">{kept.note}</q>}
          </span>
        )}
        {reasons &&
          (against.length === 0 ? (
            <Badge kind="good">fit to learn from</Badge>
          ) : (
            <>
              <Badge kind="stood">not for export</Badge> <span className="note">{reasonWords(against)}</span>
            </>
          ))}
        {!onChange && <a href="#/traces">All traces and templates</a>}
      </p>
    </div>
  )
}

function RatingForm({
  traceId,
  kept,
  set,
}: {
  traceId: string
  kept: Kept
  set: (trace: TraceSummary) => void
}) {
  const [rating, setRating] = useState(kept.rating)
  const [note, setNote] = useState(kept.note)
  const [trouble, setTrouble] = useState('')
  const done = async (sent: ReturnType<typeof shelf.unrate>) => {
    setTrouble('')
    try {
      set(await sent)
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (rating !== null) void done(shelf.rate(traceId, rating, note))
      }}
    >
      <fieldset className="rating-scale">
        <legend>How good is this answer?</legend>
        {Array.from({ length: 10 }, (_, place) => place + 1).map((value) => (
          <label key={value} className={value === rating ? 'chosen' : ''}>
            <input
              type="radio"
              name={`rating-${traceId}`}
              value={value}
              checked={value === rating}
              onChange={() => setRating(value)}
            />
            {value}
          </label>
        ))}
      </fieldset>
      <label className="rating-note">
        <span>Note</span>
        <input type="text" value={note} maxLength={2000} onChange={(event) => setNote(event.target.value)} />
      </label>
      <button
        type="submit"
        className="plain"
        disabled={rating === null || (rating === kept.rating && note.trim() === kept.note)}
      >
        {kept.rating === null ? 'Rate' : 'Change'}
      </button>
      {kept.rating !== null && (
        <button type="button" className="plain" onClick={() => void done(shelf.unrate(traceId))}>
          Take back
        </button>
      )}
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
    </form>
  )
}
