// What an administrator sees: people and what they spend, invitations, runs that go on.

import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { adminApi } from '../api/accounts'
import { loadErrorOf, messageOf } from '../api/client'
import type { Invitation, PersonEntry, RunningEntry } from '../api/wire'
import { dollars, humanize, plural } from '../ui/format'
import { Badge } from '../ui/section'
import { ACTIONS, Table } from '../ui/table'
import { Field, Form, Secret, Sure, day } from './fields'
import { KeySection } from './keys'
import { PersonLimits } from './limits'
import { useSession } from './session'

const REFRESH_MS = 5000

export default function Administration() {
  const session = useSession()
  useEffect(() => {
    document.title = 'Administration · moot'
  }, [])
  if (!session?.person?.administrator) {
    return (
      <p className="notice bad" role="alert">
        Only an administrator can see this page.
      </p>
    )
  }
  return (
    <div className="account">
      <header className="heading">
        <h1>Administration</h1>
      </header>
      <People me={session.person.id} />
      {session.accounts && <Invitations />}
      <KeySection place="admin" />
      <Running />
    </div>
  )
}

function People({ me }: { me: string }) {
  const [people, setPeople] = useState<PersonEntry[]>([])
  const [trouble, setTrouble] = useState('')
  const [link, setLink] = useState<{ name: string; path: string } | null>(null)
  const [limited, setLimited] = useState<PersonEntry | null>(null)
  const load = useCallback(
    () =>
      adminApi.people().then(
        (list) => setPeople(list.people),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(() => void load(), [load])
  const act = (work: Promise<unknown>) => {
    setTrouble('')
    void work.then(load).catch((error: unknown) => setTrouble(messageOf(error)))
  }
  const reset = async (one: PersonEntry) => {
    const made = await adminApi.reset(one.id)
    setLink({ name: one.name, path: made.path })
  }
  const total = people.reduce((sum, one) => sum + one.spend.dollars, 0)
  const runs = people.reduce((sum, one) => sum + one.spend.runs, 0)
  return (
    <section aria-labelledby="people">
      <h2 id="people">
        People{' '}
        <span className="note">
          {plural(people.length, 'person', 'people')} · {plural(runs, 'run')} and {dollars(total)} in the last
          30 days
        </span>
      </h2>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {link && (
        <Secret
          label={`Password link for ${link.name}`}
          text={location.origin + link.path}
          hint="Send it to them. It works once, within a day. Their old password works until they use it."
        />
      )}
      <Table
        label="People"
        head={['Name', 'Since', 'Runs', 'Spent', ACTIONS]}
        rows={people.map((one) => [
          <Name key="name" one={one} me={me} />,
          one.createdAt ? day(one.createdAt) : '–',
          one.spend.runs,
          dollars(one.spend.dollars),
          <span key="tools" className="line tools">
            <button
              type="button"
              className="small"
              aria-expanded={limited?.id === one.id}
              onClick={() => setLimited(limited?.id === one.id ? null : one)}
            >
              Limits<span className="unseen"> of {one.name}</span>
            </button>
            {one.account && (
              <>
                <button type="button" className="small" onClick={() => act(reset(one))}>
                  Password link<span className="unseen"> for {one.name}</span>
                </button>
                <button
                  type="button"
                  className="small"
                  onClick={() => act(adminApi.change(one.id, { administrator: !one.administrator }))}
                >
                  {one.administrator ? 'Remove as administrator' : 'Make administrator'}
                  <span className="unseen">: {one.name}</span>
                </button>
                <button
                  type="button"
                  className="small"
                  onClick={() => act(adminApi.change(one.id, { disabled: !one.disabled }))}
                >
                  {one.disabled ? 'Enable' : 'Disable'}
                  <span className="unseen"> {one.name}</span>
                </button>
                {one.id !== me && (
                  <Sure
                    label="Delete"
                    question={`Delete ${one.name} and all their data`}
                    act={() => adminApi.remove(one.id).then(load)}
                  />
                )}
              </>
            )}
          </span>,
        ])}
      />
      {limited && <PersonLimits key={limited.id} person={limited} />}
    </section>
  )
}

function Name({ one, me }: { one: PersonEntry; me: string }): ReactNode {
  return (
    <>
      <span dir="auto">{one.name}</span> {one.id === me && <span className="note">(you)</span>}{' '}
      {one.administrator && <Badge kind="good">administrator</Badge>}{' '}
      {one.disabled && <Badge kind="bad">disabled</Badge>}{' '}
      {!one.account && <span className="note">no account</span>}
    </>
  )
}

function Invitations() {
  const [invitations, setInvitations] = useState<Invitation[]>([])
  const [note, setNote] = useState('')
  const [administrator, setAdministrator] = useState(false)
  const [link, setLink] = useState('')
  const [trouble, setTrouble] = useState('')
  const load = useCallback(
    () =>
      adminApi.invitations().then(
        (list) => setInvitations(list.invitations),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(() => void load(), [load])
  const invite = async () => {
    const made = await adminApi.invite({ note, administrator, days: 7 })
    setLink(location.origin + made.path)
    setNote('')
    setAdministrator(false)
    await load()
  }
  return (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {link && (
        <Secret
          label="Invitation link"
          text={link}
          hint="Send it to one person. It works once, within a week, and won’t be shown again."
        />
      )}
      {invitations.length > 0 && (
        <Table
          label="Invitations that nobody has used yet"
          head={['For', 'As', 'Works until', ACTIONS]}
          rows={invitations.map((one) => [
            <span key="note" dir="auto">
              {one.note || '–'}
            </span>,
            one.administrator ? 'administrator' : 'person',
            day(one.expiresAt),
            <Sure
              key="withdraw"
              label="Withdraw"
              question="Withdraw this invitation"
              act={() => adminApi.withdraw(one.id).then(load)}
            />,
          ])}
        />
      )}
      <h3>Invite somebody</h3>
      <Form label="Invite somebody" submit="Create invitation" onSubmit={invite}>
        <Field
          label="Who it is for"
          value={note}
          set={setNote}
          autoComplete="off"
          hint="Only for this list; they choose their own name."
        />
        <p>
          <label>
            <input
              type="checkbox"
              checked={administrator}
              onChange={(event) => setAdministrator(event.target.checked)}
            />{' '}
            As an administrator
          </label>
        </p>
      </Form>
    </section>
  )
}

function Running() {
  const [runs, setRuns] = useState<RunningEntry[]>([])
  const load = useCallback(
    () =>
      adminApi.runs().then(
        (list) => setRuns(list.runs),
        () => undefined, // said above
      ),
    [],
  )
  useEffect(() => {
    void load()
    const timer = setInterval(() => void load(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [load])
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running now</h2>
      {runs.length === 0 ? (
        <p className="empty">Nothing is running.</p>
      ) : (
        <Table
          label="Running now"
          head={['Person', 'Mode', 'Since', 'Calls', 'Spent', ACTIONS]}
          rows={runs.map((one) => [
            <span key="name" dir="auto">
              {one.name}
            </span>,
            humanize(one.mode),
            new Date(one.startedAt).toLocaleTimeString('en', { timeStyle: 'short' }),
            one.calls,
            dollars(one.dollars),
            <Sure
              key="stop"
              label="Stop"
              question={`Stop the run of ${one.name}`}
              act={() => adminApi.stop(one.id).then(load)}
            />,
          ])}
        />
      )}
    </section>
  )
}
