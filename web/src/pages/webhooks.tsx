// Webhooks: which programs are told when your runs end, and what became of the messages to them.

import { useCallback, useEffect, useState } from 'react'
import { type RunEnd, webhookApi } from '../api/accounts'
import { loadErrorOf, messageOf } from '../api/client'
import type { Delivery, Trial, Webhook } from '../api/wire'
import { ACTIONS, Table } from '../ui/table'
import { Field, Form, Secret, Sure, day } from './fields'

const ENDS: Record<RunEnd, string> = {
  complete: 'complete: an answer',
  degraded: 'degraded: an answer with something missing',
  failed: 'failed: no answer',
  cancelled: 'cancelled: somebody stopped it',
}
const ALL = Object.keys(ENDS) as RunEnd[]
const STATUSES: Record<string, string> = {
  waiting: 'waiting',
  delivered: 'delivered',
  given_up: 'given up',
}

export default function Webhooks() {
  const [webhooks, setWebhooks] = useState<Webhook[]>([])
  const [trouble, setTrouble] = useState('')
  const load = useCallback(
    () =>
      webhookApi.list().then(
        (list) => setWebhooks(list.webhooks),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(() => {
    document.title = 'Webhooks · moot'
    void load()
  }, [load])
  return (
    <div className="account">
      <header className="heading">
        <h1>Webhooks</h1>
        <p>Notify another program when one of your runs ends, so it doesn’t have to wait.</p>
      </header>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      <Addresses webhooks={webhooks} load={load} />
      <RequestSecret />
      <Deliveries />
    </div>
  )
}

function Addresses({ webhooks, load }: { webhooks: Webhook[]; load: () => Promise<void> }) {
  const [secret, setSecret] = useState('')
  const [trials, setTrials] = useState<Record<string, Trial | 'running'>>({})
  const test = async (id: string) => {
    setTrials((before) => ({ ...before, [id]: 'running' }))
    const trial = await webhookApi
      .test(id)
      .catch((error: unknown): Trial => ({ delivered: false, reason: messageOf(error) }))
    setTrials((before) => ({ ...before, [id]: trial }))
  }
  return (
    <section aria-labelledby="webhooks">
      <h2 id="webhooks">Your webhooks</h2>
      {secret && (
        <Secret
          label="The secret that signs its messages"
          text={secret}
          hint="Copy it now: it won’t be shown again."
        />
      )}
      {webhooks.length === 0 ? (
        <p className="empty">None yet.</p>
      ) : (
        <Table
          label="Your webhooks"
          head={['Address', 'Sent when', 'Added', 'Test', ACTIONS]}
          rows={webhooks.map((one) => [
            one.url,
            one.events.length === ALL.length ? 'any outcome' : one.events.join(', '),
            day(one.createdAt),
            <Result key="result" trial={trials[one.id]} />,
            <span key={one.id} className="line tools">
              <button type="button" className="small" onClick={() => void test(one.id)}>
                Test<span className="unseen"> {one.url}</span>
              </button>
              <Sure
                label="Remove"
                question="Remove this webhook"
                act={() => webhookApi.remove(one.id).then(load)}
              />
            </span>,
          ])}
        />
      )}
      <NewWebhook
        onMade={(made) => {
          setSecret(made)
          void load()
        }}
      />
    </section>
  )
}

function Result({ trial }: { trial: Trial | 'running' | undefined }) {
  return (
    <span role="status">
      {trial === 'running' ? 'Sending…' : trial && (trial.delivered ? 'Delivered' : trial.reason)}
    </span>
  )
}

function NewWebhook({ onMade }: { onMade: (secret: string) => void }) {
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState<RunEnd[]>(ALL)
  const add = async () => {
    const made = await webhookApi.add({ url, events })
    setUrl('')
    setEvents(ALL)
    onMade(made.secret)
  }
  return (
    <Form label="Add a webhook" submit="Add webhook" onSubmit={add}>
      <h3>Add a webhook</h3>
      <Field
        label="Address"
        value={url}
        set={setUrl}
        autoComplete="off"
        hint="For example https://example.com/hook. It is notified of runs that start from now on."
      />
      <fieldset>
        <legend>Notify it of runs that end as</legend>
        {ALL.map((one) => (
          <label key={one} className="choice">
            <input
              type="checkbox"
              checked={events.includes(one)}
              onChange={(event) =>
                setEvents(event.target.checked ? [...events, one] : events.filter((other) => other !== one))
              }
            />{' '}
            {ENDS[one]}
          </label>
        ))}
      </fieldset>
    </Form>
  )
}

function RequestSecret() {
  const [secret, setSecret] = useState('')
  const [trouble, setTrouble] = useState('')
  const show = () =>
    webhookApi.requestSecret().then(
      (one) => setSecret(one.secret),
      (error: unknown) => setTrouble(messageOf(error)),
    )
  return (
    <section aria-labelledby="request-secret">
      <h2 id="request-secret">Addresses in requests</h2>
      <p className="hint">
        A request to the API can name an address for its own run: <code>{'"webhook": {"url": "…"}'}</code>.
        One secret signs the messages to all of them.
      </p>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {secret ? (
        <Secret
          label="The secret for addresses in requests"
          text={secret}
          hint="It stays the same, so you can look it up again."
        />
      ) : (
        <p>
          <button type="button" className="plain" onClick={() => void show()}>
            Show the secret
          </button>
        </p>
      )}
    </section>
  )
}

function Deliveries() {
  const [deliveries, setDeliveries] = useState<Delivery[] | null>(null)
  const [trouble, setTrouble] = useState('')
  const load = useCallback(
    () =>
      webhookApi.deliveries().then(
        (list) => setDeliveries(list.deliveries),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [],
  )
  useEffect(() => void load(), [load])
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Latest messages</h2>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {deliveries?.length === 0 && <p className="empty">Nothing has been sent yet.</p>}
      {deliveries !== null && deliveries.length > 0 && (
        <Table
          label="Latest messages"
          head={['Run started', 'Address', 'Message', 'Attempts', 'Next attempt', 'Reason']}
          rows={deliveries.map((one) => [
            moment(one.createdAt),
            one.url,
            STATUSES[one.status] ?? one.status,
            String(one.attempts),
            one.nextAttemptAt ? moment(one.nextAttemptAt) : 'none',
            one.reason ?? '',
          ])}
        />
      )}
      <p>
        <button type="button" className="plain" onClick={() => void load()}>
          Refresh
        </button>
      </p>
    </section>
  )
}

const moment = (iso: string) =>
  new Date(iso).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
