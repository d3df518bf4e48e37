// The entrance: whoever is known goes on to the page; others sign in, or follow a link they were given.

import { type ReactNode, Suspense, lazy, useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { accountApi } from '../api/accounts'
import { SIGNED_OUT, loadErrorOf } from '../api/client'
import { useConnection } from '../api/connection'
import type { SessionView } from '../api/wire'
import { ConnectionBanner } from './boundary'
import { SessionContext } from './session'

const SignIn = lazy(() => import('./sign_in'))
const LinkPage = lazy(() => import('./link_page'))
const Shared = lazy(() => import('./shared'))

const subscribe = (changed: () => void) => {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

export function Entrance({ children }: { children: ReactNode }) {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  const shared = /^#\/shared\/([\w-]+)$/.exec(hash)?.[1]
  const link = /^#\/link\/([\w-]+)$/.exec(hash)?.[1]
  if (shared) {
    return (
      <Outside>
        <Shared key={shared} token={shared} />
      </Outside>
    )
  }
  return <Inside link={link}>{children}</Inside>
}

function Inside({ link, children }: { link: string | undefined; children: ReactNode }) {
  const [session, setSession] = useState<SessionView | null>(null)
  const [trouble, setTrouble] = useState('')
  const { recoveries } = useConnection()
  const load = useCallback(
    () =>
      void accountApi.session().then(
        (view) => {
          setSession(view)
          setTrouble('')
        },
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(load, [load, recoveries])
  useEffect(() => {
    window.addEventListener(SIGNED_OUT, load)
    return () => window.removeEventListener(SIGNED_OUT, load)
  }, [load])
  if (!session) {
    return (
      <Outside>
        {trouble && (
          <p className="notice bad" role="alert">
            {trouble}
          </p>
        )}
      </Outside>
    )
  }
  if (link) {
    return (
      <Outside>
        <LinkPage key={link} token={link} />
      </Outside>
    )
  }
  if (session.accounts && !session.person) {
    return (
      <Outside>
        <SignIn session={session} onEntry={setSession} />
      </Outside>
    )
  }
  if (!session.person) {
    return (
      <Outside>
        <p className="notice bad" role="alert">
          This server doesn’t know who you are. Reach it through your organisation’s sign-in page.
        </p>
      </Outside>
    )
  }
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The page without its rooms, for whoever is not in. */
function Outside({ children }: { children: ReactNode }) {
  return (
    <div className="page">
      <header className="top">
        <a className="mark" href="#/">
          <img src="/icon.svg" alt="" width="24" height="24" /> <span className="mark-name">moot</span>
        </a>
        <ConnectionBanner />
      </header>
      <main id="main" className="outside">
        <Suspense fallback={<p className="hint">Loading…</p>}>{children}</Suspense>
      </main>
    </div>
  )
}
