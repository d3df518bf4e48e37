// Give a finished run to others to read, and take it back.

import { useCallback, useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import { messageOf } from '../api/client'
import type { ShareView } from '../api/wire'
import { day, Secret, Sure } from './fields'

export function ShareLinks({ runId }: { runId: string }) {
  const [links, setLinks] = useState<ShareView[] | null>(null)
  const [days, setDays] = useState('')
  const [trouble, setTrouble] = useState('')
  const load = useCallback(
    () =>
      accountApi.shares(runId).then(
        (list) => setLinks(list.shares),
        (error: unknown) => setTrouble(messageOf(error)),
      ),
    [runId],
  )
  useEffect(() => void load(), [load])
  const share = async () => {
    setTrouble('')
    try {
      await accountApi.share(runId, days ? Number(days) : null)
      await load()
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <section className="share-links online" aria-label="Share links">
      <p className="hint">Anyone with the link can read this run and nothing else. They need no account.</p>
      {links?.map((one) => (
        <div key={one.id}>
          <Secret
            label={`Link made on ${day(one.createdAt)}`}
            text={location.origin + one.path}
            hint={one.expiresAt ? `Works until ${day(one.expiresAt)}.` : 'Works until you revoke it.'}
          />
          <Sure
            label="Revoke"
            question="Revoke this link"
            act={() => accountApi.revokeShare(one.id).then(load)}
          />
        </div>
      ))}
      <p className="line">
        <label>
          Expires{' '}
          <select value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="">never</option>
            <option value="1">after a day</option>
            <option value="7">after a week</option>
            <option value="30">after a month</option>
          </select>
        </label>
        <button type="button" className="plain" onClick={() => void share()}>
          Create link
        </button>
      </p>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
    </section>
  )
}
