import {
  Suspense,
  lazy,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { flushSync } from 'react-dom'
import { api, loadErrorOf } from '../api/client'
import { useConnection } from '../api/connection'
import type { ModeList, Models } from '../api/wire'
import { Ask, type Question } from '../ask/ask'
import { partOf } from '../modes'
import { startRun } from '../run/feed'
import { pictureOf } from '../run/picture'
import { Boundary, ConnectionBanner } from './boundary'
import { Conversation } from './conversation'
import { History } from './history'
import { AccountLinks } from './session'

const Account = lazy(() => import('./account'))
const Administration = lazy(() => import('./administration'))
const Insight = lazy(() => import('./insight'))
const Keys = lazy(() => import('./keys'))
const Traces = lazy(() => import('./traces'))
const Webhooks = lazy(() => import('./webhooks'))

const LOADING = <p className="hint">Loading…</p>

const subscribe = (changed: () => void) => {
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

interface Route {
  conversation: string | null
  insight: URLSearchParams | null
  traces: boolean
  account: boolean
  administration: boolean
  keys: boolean
  webhooks: boolean
}

function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  const insight = /^#\/insight(?:\?(.*))?$/.exec(hash)
  const found = /^#\/c\/([\w-]+)(?:\?run=[\w-]+)?$/.exec(hash)
  return {
    conversation: found?.[1] ?? null,
    insight: insight && new URLSearchParams(insight[1]),
    traces: hash === '#/traces',
    account: /^#\/account(\/\w+)?$/.test(hash),
    administration: hash === '#/administration',
    keys: hash === '#/keys',
    webhooks: hash === '#/webhooks',
  }
}

export function App() {
  const route = useRoute()
  const insight = route.insight !== null
  const own = route.account || route.administration || route.keys || route.webhooks
  const [modes, setModes] = useState<ModeList | null>(null)
  const [models, setModels] = useState<Models | null>(null)
  const [trouble, setTrouble] = useState('')
  const [version, setVersion] = useState(0)
  const [drawer, setDrawer] = useState(false)
  const changed = useCallback(() => setVersion((before) => before + 1), [])

  const { lost, recoveries } = useConnection()
  const load = useCallback(() => {
    api.modes().then(
      (list) => {
        setModes(list)
        setTrouble('')
      },
      (error: unknown) => setTrouble(loadErrorOf(error)),
    )
    api.models().then(setModels, () => undefined) // without it, ids are typed by hand
  }, [])
  useEffect(load, [recoveries, load])
  const place =
    route.conversation ?? (insight ? 'insight' : route.traces ? 'traces' : own ? location.hash : 'ask')
  const main = useRef<HTMLElement>(null)
  const firstPlace = useRef(place)
  useLayoutEffect(() => {
    window.scrollTo(0, 0)
    // A new place begins where it is read: the next Tab leads into it, not through the header again.
    if (place !== firstPlace.current && !document.activeElement?.closest('.toast'))
      main.current?.focus({ preventScroll: true })
    firstPlace.current = ''
  }, [place])
  useEffect(() => {
    setDrawer(false)
    if (!route.conversation && !own)
      document.title = insight ? 'Insight · moot' : route.traces ? 'Traces · moot' : 'moot'
  }, [route.conversation, insight, route.traces, own])
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement &&
        event.target.closest('input:not([type=radio], [type=checkbox]), textarea, select')
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
        event.preventDefault()
        // At once: the next key is already meant for the search.
        flushSync(() => setDrawer(true))
        document.getElementById('search')?.focus()
      }
      if (event.key === 'Escape') {
        setDrawer(false)
        if (typing instanceof HTMLElement) typing.blur()
      }
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [])

  const ask = async (question: Question) => {
    void pictureOf(partOf(question.mode))
    const { feed, conversationId } = await startRun('/api/council/stream', {
      ...question,
      streamTokens: true,
    })
    location.hash = `#/c/${conversationId}?run=${feed.runId}`
    changed()
  }
  return (
    <div className={drawer ? 'page drawer-open' : 'page'}>
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to content
      </a>
      <header className="top">
        <a className="mark" href="#/">
          <img src="/icon.svg" alt="" width="24" height="24" /> <span className="mark-name">moot</span>
        </a>
        <button
          type="button"
          className="plain drawer-button"
          aria-expanded={drawer}
          onClick={() => setDrawer(!drawer)}
        >
          History
        </button>
        <a className="plain" href="#/">
          Ask
        </a>
        <a className="plain" href="#/insight" aria-current={insight ? 'page' : undefined}>
          Insight
        </a>
        <AccountLinks place="header" />
        <Theme />
        <ConnectionBanner />
      </header>
      <div className="rooms">
        <aside className="side">
          <History
            modes={modes?.modes.filter((mode) => mode.available) ?? []}
            current={route.conversation}
            version={version}
            onDelete={() => (location.hash = '#/')}
          />
          <p className="side-links">
            <a href="#/traces">Traces and templates</a> <a href="#/keys">Keys</a>{' '}
            <a href="#/webhooks">Webhooks</a>
          </p>
          <AccountLinks place="drawer" />
        </aside>
        <main id="main" ref={main} tabIndex={-1}>
          {trouble && (
            <p className="notice bad" role="alert">
              {trouble}
            </p>
          )}
          {!modes && !trouble && !route.traces && (
            <p className="hint waiting" aria-busy="true">
              {lost ? 'Waiting for the server…' : 'Loading…'}
            </p>
          )}
          <Boundary key={place}>
            {modes && route.insight && (
              <Suspense fallback={LOADING}>
                <Insight modes={modes.modes} filters={route.insight} />
              </Suspense>
            )}
            {route.traces && (
              <Suspense fallback={LOADING}>
                <Traces />
              </Suspense>
            )}
            {own && (
              <Suspense fallback={LOADING}>
                {route.keys ? (
                  <Keys onChange={load} />
                ) : route.webhooks ? (
                  <Webhooks />
                ) : route.account ? (
                  <Account />
                ) : (
                  <Administration />
                )}
              </Suspense>
            )}
            {modes &&
              !route.insight &&
              !route.traces &&
              !own &&
              (route.conversation ? (
                <Conversation
                  key={route.conversation}
                  id={route.conversation}
                  modes={modes.modes}
                  onChange={changed}
                />
              ) : (
                <Ask modes={modes} models={models} partOf={partOf} onAsk={ask} />
              ))}
          </Boundary>
        </main>
      </div>
    </div>
  )
}

const THEMES = { auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }

function Theme() {
  const [theme, setTheme] = useState(() => localStorage.getItem('moot.theme') ?? 'auto')
  useEffect(() => {
    localStorage.setItem('moot.theme', theme)
    document.documentElement.dataset.theme = theme
  }, [theme])
  return (
    <label className="theme">
      <span className="unseen">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value)}>
        {Object.entries(THEMES).map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
