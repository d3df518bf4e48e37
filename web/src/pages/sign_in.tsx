// Sign in, or sign up where the server lets everyone.

import { useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import type { SessionView } from '../api/wire'
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
  return (
    <>
      <h1>{isNew ? 'Create an account' : 'Sign in'}</h1>
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
