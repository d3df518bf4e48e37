// The providers you can ask, with your keys; and, for administrators, those of everyone.

import { useCallback, useEffect, useState } from 'react'
import { type KeyChange, type KeyPlace, keyApi } from '../api/accounts'
import { loadErrorOf, messageOf } from '../api/client'
import type { KeyTest, KeyView } from '../api/wire'
import { plural } from '../ui/format'
import { ACTIONS, Table } from '../ui/table'
import { Field, Form, Sure } from './fields'

export default function Keys({ onChange }: { onChange: () => void }) {
  useEffect(() => {
    document.title = 'Keys · moot'
  }, [])
  return (
    <div className="account">
      <header className="heading">
        <h1>Keys</h1>
        <p>
          Add your keys for OpenRouter, OpenAI or Anthropic, a local Ollama, or any compatible endpoint. They
          are encrypted and used for your questions only.
        </p>
      </header>
      <KeySection place="account" onChange={onChange} />
    </div>
  )
}

export function KeySection({ place, onChange }: { place: KeyPlace; onChange?: () => void }) {
  const [keys, setKeys] = useState<KeyView[]>([])
  const [trouble, setTrouble] = useState('')
  const [tests, setTests] = useState<Record<string, KeyTest | 'running'>>({})
  const load = useCallback(
    () =>
      keyApi.list(place).then(
        (list) => setKeys(list.keys),
        (error: unknown) => setTrouble(loadErrorOf(error)),
      ),
    [place],
  )
  useEffect(() => void load(), [load])
  const changed = async () => {
    await load()
    onChange?.()
  }
  const test = async (name: string) => {
    setTests((before) => ({ ...before, [name]: 'running' }))
    const result = await keyApi
      .test(place, name)
      .catch((error: unknown): KeyTest => ({ problem: messageOf(error) }))
    setTests((before) => ({ ...before, [name]: result }))
  }
  const mine = place === 'account' ? 'person' : 'server'
  const shown = keys.filter((one) => one.source !== null)
  const title = place === 'account' ? 'Your keys and endpoints' : 'Keys for everyone'
  return (
    <section aria-labelledby={`keys-${place}`}>
      <h2 id={`keys-${place}`}>{title}</h2>
      {place === 'admin' && <p className="hint">Used for everyone who has not added a key of their own.</p>}
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {shown.map(
        (one) =>
          one.problem && (
            <p className="notice bad" role="alert" key={one.name}>
              {one.problem}
            </p>
          ),
      )}
      {shown.length === 0 ? (
        <p className="empty">Nothing yet. Until a key is added, simulated models answer.</p>
      ) : (
        <Table
          label={title}
          head={['Provider', 'Set in', 'Key', 'Address', 'Test', ACTIONS]}
          rows={shown.map((one) => [
            <span key="name" dir="auto">
              {one.title}
            </span>,
            <Source key="source" one={one} />,
            one.hasKey ? (one.hint ? `…${one.hint}` : 'set') : 'none',
            one.baseUrl ?? 'default',
            <Result key="result" result={tests[one.name]} />,
            one.source === mine && (
              <span key={one.name} className="line tools">
                <button type="button" className="small" onClick={() => void test(one.name)}>
                  Test<span className="unseen"> {one.title}</span>
                </button>
                <Sure
                  label="Remove"
                  question={`Remove ${one.title}`}
                  act={() => keyApi.remove(place, one.name).then(changed)}
                />
              </span>
            ),
          ])}
        />
      )}
      <NewKey
        place={place}
        onSaved={async (name) => {
          await changed()
          await test(name)
        }}
      />
    </section>
  )
}

const SOURCES = {
  environment: 'the server’s environment',
  file: 'the server’s settings file',
  person: 'your keys',
  server: 'keys for everyone',
}

function Source({ one }: { one: KeyView }) {
  return (
    <>
      {one.source && SOURCES[one.source]}
      {one.note && <span className="hint key-note">{one.note}</span>}
    </>
  )
}

function Result({ result }: { result: KeyTest | 'running' | undefined }) {
  return (
    <span role="status">
      {result === 'running'
        ? 'Testing…'
        : result && (result.problem ?? `Works: ${plural(result.models ?? 0, 'model')}`)}
    </span>
  )
}

const OWN = 'own'
const PROVIDERS = {
  openrouter: 'OpenRouter',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  ollama: 'Ollama',
  [OWN]: 'Your own endpoint',
}
type Choice = keyof typeof PROVIDERS

function NewKey({ place, onSaved }: { place: KeyPlace; onSaved: (name: string) => Promise<void> }) {
  const [choice, setChoice] = useState<Choice>('openrouter')
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [kind, setKind] = useState<'openai' | 'anthropic'>('openai')
  const [key, setKey] = useState('')
  const own = choice === OWN
  const local = choice === 'ollama'
  const save = async () => {
    const change: KeyChange = { key: key || null, baseUrl: (own || local) && address ? address : null }
    if (own) change.kind = kind
    const saved = await keyApi.save(place, own ? name : choice, change)
    setKey('')
    void onSaved(saved.name)
  }
  return (
    <Form label="Add a key" submit="Save" onSubmit={save}>
      <h3>Add or replace</h3>
      <p className="account-field">
        <label htmlFor={`provider-${place}`}>Provider</label>
        <select
          id={`provider-${place}`}
          value={choice}
          onChange={(event) => setChoice(event.target.value as Choice)}
        >
          {Object.entries(PROVIDERS).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </p>
      {own && (
        <>
          <Field
            label="Name"
            value={name}
            set={setName}
            autoComplete="off"
            hint="Model IDs start with it, as in lab/qwen3."
          />
          <p className="account-field">
            <label htmlFor={`kind-${place}`}>Compatible with</label>
            <select
              id={`kind-${place}`}
              value={kind}
              onChange={(event) => setKind(event.target.value as 'openai' | 'anthropic')}
            >
              <option value="openai">OpenAI (chat completions)</option>
              <option value="anthropic">Anthropic (messages)</option>
            </select>
          </p>
        </>
      )}
      {(own || local) && (
        <Field
          label="Address"
          value={address}
          set={setAddress}
          autoComplete="off"
          hint={
            local
              ? 'For example http://127.0.0.1:11434.'
              : 'Including the version, for example https://lab.example/v1.'
          }
        />
      )}
      <Field
        label="Key"
        type="password"
        value={key}
        set={setKey}
        autoComplete="off"
        required={!own && !local}
        hint={
          own || local
            ? 'Leave it empty if none is needed. It won’t be shown again.'
            : 'It won’t be shown again.'
        }
      />
    </Form>
  )
}
