// A run that somebody shared: as its owner sees it, to be read.

import { useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import { loadErrorOf } from '../api/client'
import type { SharedRun } from '../api/wire'
import { partOf } from '../modes'
import { openShared } from '../run/feed'
import { Turn } from '../run/turn'
import { humanize } from '../ui/format'
import { day } from './fields'

export default function Shared({ token }: { token: string }) {
  const [run, setRun] = useState<SharedRun | null>(null)
  const [trouble, setTrouble] = useState('')
  useEffect(() => {
    accountApi.shared(token).then(
      (shared) => {
        openShared(token)
        setRun(shared)
      },
      (error: unknown) => setTrouble(loadErrorOf(error)),
    )
  }, [token])
  useEffect(() => {
    document.title = run ? `${run.question.slice(0, 80)} · moot` : 'moot'
  }, [run])
  if (trouble) {
    return (
      <>
        <h1>Nothing here</h1>
        <p className="notice bad" role="alert">
          {trouble}.
        </p>
      </>
    )
  }
  if (!run) return <p className="hint">Loading…</p>
  return (
    <div className="shared-run">
      <p className="note">
        {humanize(run.mode)} · {day(run.startedAt)} · shared with you, read-only
      </p>
      <Turn
        question={run.question}
        runId={token}
        running={false}
        part={partOf(run.mode)}
        headline
        onEnd={stay}
      />
    </div>
  )
}

const stay = () => undefined
