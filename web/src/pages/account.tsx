// Your account: password, tokens for programs, what you share.

import { useCallback, useEffect, useState } from 'react'
import { type Scope, accountApi } from '../api/accounts'
import { loadErrorOf } from '../api/client'
import type { ShareView, Token } from '../api/wire'
import { useLimits } from '../ask/limits'
import { ACTIONS, Table } from '../ui/table'
import { Field, Form, Secret, Sure, day } from './fields'
import { LimitTable } from './limits'
import { FAILURES, SignInElsewhere } from './sign_in'
import { forgetHere, signOut, useSession } from './session'

const SCOPES: Record<Scope, string> = {
  read: 'Read your runs and conversations',
  ask: 'Ask questions and change what is yours',
  admin: 'Administer this server',
}

export default function Account() {
  const session = useSession()
  const person = session?.person
  const retentionDays = session?.retentionDays ?? null
  useEffect(() => {
    document.title = 'Account · moot'
  }, [])
  if (!person) return null
  return (
    <div className="account">
      <header className="heading">
        <h1>Account</h1>
        <p>
          Signed in as <strong>{person.name}</strong>
          {person.administrator && ', an administrator'}.{' '}
          <button type="button" className="plain" onClick={() => void signOut()}>
            Sign out
          </button>
        </p>
      </header>
      <Password />
      {session.oidc && <Elsewhere name={session.oidc} />}
      <Limits />
      <p>
        <a href="#/keys">Keys</a> and <a href="#/webhooks">webhooks</a> have pages of their own.
      </p>
      <Tokens administrator={person.administrator} />
      <Shares />
      <YourData retentionDays={retentionDays} oidc={session.oidc} />
    </div>
  )
}

function Password() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [done, setDone] = useState(false)
  const change = async () => {
    setDone(false)
    await accountApi.changePassword(current, next)
    setCurrent('')
    setNext('')
    setDone(true)
  }
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <Form label="Change password" submit="Change password" onSubmit={change}>
        <Field
          label="Current password"
          type="password"
          value={current}
          set={setCurrent}
          autoComplete="current-password"
        />
        <Field
          label="New password"
          type="password"
          value={next}
          set={setNext}
          autoComplete="new-password"
          hint="At least 10 characters. You will be signed out everywhere else."
        />
      </Form>
      {done && (
        <p className="notice" role="status">
          Your password is changed.
        </p>
      )}
    </section>
  )
}

function Elsewhere({ name }: { name: string }) {
  const [linked, setLinked] = useState<boolean | null>(null)
  const failure = FAILURES[location.hash.replace('#/account/', '')]
  const load = useCallback(
    () =>
      accountApi.oidcLink().then(
        (one) => setLinked(one.linked),
        () => undefined,
      ),
    [],
  )
  useEffect(() => void load(), [load])
  return (
    <section aria-labelledby="elsewhere">
      <h2 id="elsewhere">Sign in with {name}</h2>
      {failure && (
        <p className="notice bad" role="alert">
          {failure}
        </p>
      )}
      {linked === true && (
        <>
          <p>Your account is connected with {name}: you can sign in there.</p>
          <Sure
            label="Disconnect"
            question={`Disconnect from ${name}`}
            act={() => accountApi.unlinkOidc().then(load)}
          />
        </>
      )}
      {linked === false && <SignInElsewhere name={name} link />}
    </section>
  )
}

function Limits() {
  const limits = useLimits(0)
  if (limits.length === 0) return null
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <LimitTable limits={limits} />
    </section>
  )
}

function Tokens({ administrator }: { administrator: boolean }) {
  const [tokens, setTokens] = useState<Token[]>([])
  const [trouble, setTrouble] = useState('')
  const [secret, setSecret] = useState('')
  const load = useCallback(
    () =>
      accountApi.tokens().then(
        (list) => setTokens(list.tokens),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(() => void load(), [load])
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">API tokens</h2>
      <p className="hint">
        For programs that act on your behalf. They send <code>Authorization: Bearer</code> and the token.
      </p>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {secret && <Secret label="Your new token" text={secret} hint="Copy it now: it won’t be shown again." />}
      {tokens.length > 0 && (
        <Table
          label="API tokens"
          head={['Name', 'Permissions', 'Expires', 'Last used', ACTIONS]}
          rows={tokens.map((one) => [
            <span key="name" dir="auto">
              {one.name}
            </span>,
            one.scopes.join(', '),
            one.expiresAt ? day(one.expiresAt) : 'never',
            one.usedAt ? day(one.usedAt) : 'never',
            <Sure
              key={one.id}
              label="Revoke"
              question={`Revoke “${one.name}”`}
              act={() => accountApi.revokeToken(one.id).then(load)}
            />,
          ])}
        />
      )}
      <NewToken
        administrator={administrator}
        onMade={(token) => {
          setSecret(token)
          void load()
        }}
      />
    </section>
  )
}

function NewToken({ administrator, onMade }: { administrator: boolean; onMade: (token: string) => void }) {
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<Scope[]>(['read', 'ask'])
  const [days, setDays] = useState('90')
  const create = async () => {
    const made = await accountApi.addToken({ name, scopes, days: days ? Number(days) : null })
    setName('')
    onMade(made.token)
  }
  const offered = (Object.keys(SCOPES) as Scope[]).filter((one) => one !== 'admin' || administrator)
  return (
    <Form label="New token" submit="Create token" onSubmit={create}>
      <h3>New token</h3>
      <Field
        label="Name"
        value={name}
        set={setName}
        autoComplete="off"
        hint="For example, the program that will use it."
      />
      <fieldset>
        <legend>Permissions</legend>
        {offered.map((one) => (
          <label key={one} className="choice">
            <input
              type="checkbox"
              checked={scopes.includes(one)}
              onChange={(event) =>
                setScopes(event.target.checked ? [...scopes, one] : scopes.filter((other) => other !== one))
              }
            />{' '}
            {SCOPES[one]}
          </label>
        ))}
      </fieldset>
      <p className="account-field">
        <label htmlFor="token-days">Expires</label>
        <select id="token-days" value={days} onChange={(event) => setDays(event.target.value)}>
          <option value="7">after a week</option>
          <option value="90">after 90 days</option>
          <option value="365">after a year</option>
          <option value="">never</option>
        </select>
      </p>
    </Form>
  )
}

function Shares() {
  const [shares, setShares] = useState<ShareView[]>([])
  const load = useCallback(
    () =>
      accountApi.shares().then(
        (list) => setShares(list.shares),
        () => undefined, // said above
      ),
    [],
  )
  useEffect(() => void load(), [load])
  return (
    <section aria-labelledby="shares">
      <h2 id="shares">Shared runs</h2>
      {shares.length === 0 ? (
        <p className="empty">Nothing is shared. Open a finished run and choose Share to create a link.</p>
      ) : (
        <Table
          label="Shared runs"
          head={['Question', 'Shared', 'Expires', ACTIONS]}
          rows={shares.map((one) => [
            <a key="open" href={one.path.slice(1)} dir="auto">
              {one.question.slice(0, 80)}
            </a>,
            day(one.createdAt),
            one.expiresAt ? day(one.expiresAt) : 'never',
            <Sure
              key={one.id}
              label="Revoke"
              question="Revoke this link"
              act={() => accountApi.revokeShare(one.id).then(load)}
            />,
          ])}
        />
      )}
    </section>
  )
}

function YourData({ retentionDays, oidc }: { retentionDays: number | null; oidc: string | null }) {
  const [sure, setSure] = useState(false)
  const [password, setPassword] = useState('')
  const remove = async () => {
    await accountApi.deleteAccount(password)
    forgetHere()
  }
  return (
    <section aria-labelledby="your-data">
      <h2 id="your-data">Your data</h2>
      {retentionDays !== null && (
        <p className="hint">
          This server deletes conversations, with their share links, {retentionDays}{' '}
          {retentionDays === 1 ? 'day' : 'days'} after their last question.
        </p>
      )}
      <p>
        <a className="plain" href="/api/account/export" download>
          Download my data
        </a>{' '}
        <span className="hint">A zip with all your conversations and everything else that is yours.</span>
      </p>
      {!sure ? (
        <p>
          <button type="button" className="plain" onClick={() => setSure(true)}>
            Delete my account…
          </button>
        </p>
      ) : (
        <Form label="Delete my account" submit="Delete my account for good" onSubmit={remove}>
          <p>
            This deletes everything that is yours: conversations, presets, templates, tokens and share links.
            Runs in progress are stopped. This cannot be undone.
          </p>
          <Field
            label="Your password"
            type="password"
            value={password}
            set={setPassword}
            autoComplete="current-password"
            autoFocus
            required={!oidc}
            {...(oidc ? { hint: `Leave it empty if you only sign in with ${oidc}.` } : {})}
          />
          <p>
            <button type="button" className="plain" onClick={() => setSure(false)}>
              Keep my account
            </button>
          </p>
        </Form>
      )}
    </section>
  )
}
