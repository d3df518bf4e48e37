// What a person thinks of a dialectic, from 1 to 10, with a note.

import { useEffect, useState } from 'react'
import { messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import { reasonWords, traceApi } from '../api/traces'
import type { TraceSummary } from '../api/wire'
import { Badge } from '../ui/section'
import './rating.css'

interface SavedRating {
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
  const [current, setCurrent] = useState<SavedRating | null>(null)
  const { recoveries } = useConnection()
  useEffect(() => {
    let wanted = true
    traceApi.get(traceId).then(
      (trace) =>
        wanted &&
        setCurrent({
          rating: trace.user_rating,
          note: trace.ext.rating_note ?? '',
          autoScore: trace.auto_score,
        }),
      () => undefined, // a trace that is gone cannot be rated
    )
    return () => {
      wanted = false
    }
  }, [traceId, recoveries])
  if (!current) return null
  const changed = (trace: TraceSummary) => {
    setCurrent({ rating: trace.user_rating, note: trace.rating_note ?? '', autoScore: trace.auto_score })
    onChange?.(trace)
  }
  const quality = current.rating ?? current.autoScore
  const against = [...(reasons ?? []), ...(quality === null || quality < GOOD ? ['low_quality'] : [])]
  return (
    <div className="rating">
      <RatingForm
        key={`${current.rating} ${current.note}`}
        traceId={traceId}
        current={current}
        set={changed}
      />
      <p className="line">
        {current.rating !== null && (
          <span className="rated">
            Your rating: <strong>{current.rating} of 10</strong>
            {current.note && <q dir="auto">{current.note}</q>}
          </span>
        )}
        {reasons &&
          (against.length === 0 ? (
            <Badge kind="good">good enough for training</Badge>
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
  current,
  set,
}: {
  traceId: string
  current: SavedRating
  set: (trace: TraceSummary) => void
}) {
  const [rating, setRating] = useState(current.rating)
  const [note, setNote] = useState(current.note)
  const [trouble, setTrouble] = useState('')
  const submit = async (request: ReturnType<typeof traceApi.unrate>) => {
    setTrouble('')
    try {
      set(await request)
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (rating !== null) void submit(traceApi.rate(traceId, rating, note))
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
        disabled={rating === null || (rating === current.rating && note.trim() === current.note)}
      >
        {current.rating === null ? 'Rate' : 'Change'}
      </button>
      {current.rating !== null && (
        <button type="button" className="plain" onClick={() => void submit(traceApi.unrate(traceId))}>
          Remove rating
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
