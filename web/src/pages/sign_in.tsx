// Sign in, or sign up where the server lets everyone.

import { useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import type { SessionView } from '../api/wire'
import { messageOf } from '../api/client'
import { Field, Form } from './fields'

export default function SignIn({
  session,
  onEntry,
}: {
  session: SessionView
  onEntry: (session: SessionView) => void
}) {
  const [isNew, setIsNew] = useState(false)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  useEffect(() => {
    document.title = 'Sign in · moot'
  }, [])
  const enter = async () =>
    onEntry(await (isNew ? accountApi.signUp(name, password) : accountApi.signIn(name, password)))
  const failure = FAILURES[location.hash.replace('#/sign-in/', '')]
  return (
    <>
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
      {failure && (
        <p className="notice bad" role="alert">
          {failure}
        </p>
      )}
      {session.oidc && <SignInElsewhere name={session.oidc} />}
      <Form
        key={String(isNew)}
        label={isNew ? 'Create an account' : 'Sign in'}
        submit={isNew ? 'Create account' : 'Sign in'}
        onSubmit={enter}
      >
        <Field label="Name" value={name} set={setName} autoComplete="username" autoFocus />
        <Field
          label="Password"
          type="password"
          value={password}
          set={setPassword}
          autoComplete={isNew ? 'new-password' : 'current-password'}
          {...(isNew ? { hint: 'At least 10 characters.' } : {})}
        />
      </Form>
      {session.registration === 'open' ? (
        <p className="hint">
          {isNew ? 'Already have an account?' : 'New here?'}{' '}
          <button type="button" className="as-link" onClick={() => setIsNew(!isNew)}>
            {isNew ? 'Sign in' : 'Create an account'}
          </button>
        </p>
      ) : (
        <p className="hint">No account yet, or forgot your password? Ask an administrator for a link.</p>
      )}
    </>
  )
}

/** Why somebody came back from a login elsewhere without being let in. */
export const FAILURES: Record<string, string> = {
  refused: 'You were not signed in: the sign-in was cancelled or refused there.',
  expired: 'That took too long, or was started in another browser. Please try again.',
  stranger: 'You signed in there, but have no account here. Ask an administrator for an invitation.',
  disabled: 'Your account here is disabled. Ask an administrator.',
  taken: 'That sign-in already belongs to another account here.',
  no_administrator: 'This server has no administrator yet: open the link that it printed when it started.',
  unreachable: 'The sign-in service cannot be reached at the moment. Please try again later.',
  provider: 'The sign-in service sent something this server does not trust. Please tell an administrator.',
}

export function SignInElsewhere({ name, link = false }: { name: string; link?: boolean }) {
  const [trouble, setTrouble] = useState('')
  const go = () =>
    accountApi.oidc(link).then(
      (way) => location.assign(way.url),
      (error: unknown) => setTrouble(messageOf(error)),
    )
  return (
    <>
      <p>
        <button type="button" className={link ? 'plain' : 'primary'} onClick={() => void go()}>
          {link ? 'Connect with' : 'Sign in with'} {name}
        </button>
      </p>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
    </>
  )
}
