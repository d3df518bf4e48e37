// Who is signed in, for every part of the page that wants to know.

import { createContext, use } from 'react'
import { accountApi } from '../api/accounts'
import type { SessionView } from '../api/wire'
import './accounts.css'

export const SessionContext = createContext<SessionView | null>(null)

export const useSession = (): SessionView | null => use(SessionContext)

/** In the header, or on a phone in the drawer; nothing where there is one person and no login. */
export function AccountLinks({ place }: { place: 'header' | 'drawer' }) {
  const session = useSession()
  const person = session?.person
  if (!person || session.via === 'local') return null
  const look = place === 'header' ? { className: 'plain' } : {}
  return (
    <p className={`account-links ${place === 'drawer' ? 'side-links' : ''}`}>
      {person.administrator && (
        <a {...look} href="#/administration">
          Administration
        </a>
      )}
      {session.accounts && (
        <a {...look} href="#/account" title={`Signed in as ${person.name}`}>
          Account
        </a>
      )}
    </p>
  )
}

export async function signOut(): Promise<void> {
  await accountApi.signOut()
  forgetHere()
}

/** Leaves nothing of this person behind in the browser but the choice of colours. */
export function forgetHere(): void {
  const theme = localStorage.getItem('moot.theme')
  localStorage.clear()
  sessionStorage.clear()
  if (theme !== null) localStorage.setItem('moot.theme', theme)
  location.replace('/')
}
