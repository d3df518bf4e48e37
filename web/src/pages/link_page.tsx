// What a link that works once is for: to set up the server, to join, or to choose a new password.

import { useEffect, useState } from 'react'
import { accountApi } from '../api/accounts'
import { loadErrorOf } from '../api/client'
import type { LinkView } from '../api/wire'
import { plural } from '../ui/format'
import { Field, Form } from './fields'

const WORDS = {
  setup: {
    title: 'Set up this server',
    lead: 'Create the first account. It administers this server and can invite others.',
    submit: 'Create account',
  },
  invitation: {
    title: 'Join moot',
    lead: 'You have been invited. Choose a name and a password.',
    submit: 'Create account',
  },
  reset: { title: 'Choose a new password', lead: '', submit: 'Set password' },
}

export default function LinkPage({ token }: { token: string }) {
  const [link, setLink] = useState<LinkView | null>(null)
  const [trouble, setTrouble] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [keepLocal, setKeepLocal] = useState(true)
  useEffect(() => {
    accountApi.link(token).then(setLink, (error: unknown) => setTrouble(loadErrorOf(error)))
  }, [token])
  useEffect(() => {
    document.title = `${link ? WORDS[link.kind].title : 'Link'} · moot`
  }, [link])
  if (trouble) {
    return (
      <>
        <h1>This link doesn’t work</h1>
        <p className="notice bad" role="alert">
          {trouble}.
        </p>
        <p>
          <a href="#/">Go to moot</a>
        </p>
      </>
    )
  }
  if (!link) return <p className="hint">Loading…</p>
  const words = WORDS[link.kind]
  const enter = async () => {
    await accountApi.useLink(token, link.kind === 'reset' ? { password } : { name, password, keepLocal })
    // A fresh page: nothing stays of whoever was signed in here before.
    location.replace('/')
  }
  return (
    <>
      <h1>{words.title}</h1>
      <p>{link.kind === 'reset' ? `For the account “${link.name ?? ''}”.` : words.lead}</p>
      <Form label={words.title} submit={words.submit} onSubmit={enter}>
        {link.kind !== 'reset' && (
          <Field label="Name" value={name} set={setName} autoComplete="username" autoFocus />
        )}
        <Field
          label={link.kind === 'reset' ? 'New password' : 'Password'}
          type="password"
          value={password}
          set={setPassword}
          autoComplete="new-password"
          hint="At least 10 characters."
        />
        {link.localRuns > 0 && (
          <p>
            <label>
              <input
                type="checkbox"
                checked={keepLocal}
                onChange={(event) => setKeepLocal(event.target.checked)}
              />{' '}
              Keep the {plural(link.localRuns, 'run')} made here before there were accounts
            </label>
          </p>
        )}
      </Form>
    </>
  )
}
