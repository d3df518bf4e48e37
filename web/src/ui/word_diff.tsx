import { diffWordsWithSpace } from 'diff'
import { useMemo } from 'react'
import { plural } from './format'

const LONGEST_DIFF = 60_000

/** The words that went and the words that came. */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const changes = useMemo(
    () =>
      before.length + after.length > LONGEST_DIFF
        ? null
        : diffWordsWithSpace(before, after, { timeout: 1500 }),
    [before, after],
  )
  if (!changes)
    return <p className="hint">The two versions are too long, or too different, to compare word by word.</p>
  return (
    <div className="diff" dir="auto">
      {changes.map((change, place) =>
        change.added ? (
          <ins key={place}>{change.value}</ins>
        ) : change.removed ? (
          <del key={place}>{change.value}</del>
        ) : (
          <span key={place}>{change.value}</span>
        ),
      )}
    </div>
  )
}

export function WordChange({ before, after }: { before: number; after: number }) {
  const change = after - before
  return (
    <span className="word-change">
      {change === 0 ? 'same length' : `${change > 0 ? '+' : '−'}${plural(Math.abs(change), 'word')}`}
    </span>
  )
}
