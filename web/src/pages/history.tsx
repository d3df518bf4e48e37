// What was asked before.

import { useCallback, useEffect, useRef, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { api, loadErrorOf, messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import type { ConversationSummary, ModeView } from '../api/wire'
import { Badge } from '../ui/section'

const PAGE = '30'
const UNDO_MS = 6000

const STATUS_WORDS: Record<ConversationSummary['status'], string> = {
  running: 'Running',
  complete: 'Complete',
  degraded: 'Incomplete',
  failed: 'Failed',
  cancelled: 'Stopped',
}

/** What failed or was stopped may have no conversation: its run is all there is. */
const endedWithout = ({ status }: ConversationSummary) => status === 'failed' || status === 'cancelled'

export function History({
  modes,
  current,
  version,
  onDelete,
}: {
  modes: ModeView[]
  current: string | null
  version: number
  onDelete: (id: string) => void
}) {
  const [conversations, setConversations] = useState<ConversationSummary[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [search, setSearch] = useState('')
  const [mode, setMode] = useState('')
  const [trouble, setTrouble] = useState('')
  const [deletion, setDeletion] = useState<ConversationSummary | null>(null)
  const [focusUndo, setFocusUndo] = useState(false)
  const newestRequest = useRef(0)
  const { lost, recoveries } = useConnection()
  const load = useCallback(
    async (after: string | null) => {
      const mine = ++newestRequest.current
      const query: Record<string, string> = { limit: PAGE }
      if (search.trim()) query.search = search.trim()
      if (mode) query.mode = mode
      if (after) query.cursor = after
      try {
        const page = await api.conversations(query)
        if (mine !== newestRequest.current) return
        setConversations((before) =>
          after ? [...(before ?? []), ...page.conversations] : page.conversations,
        )
        setCursor(page.nextCursor)
        setTrouble('')
      } catch (error) {
        if (mine === newestRequest.current) setTrouble(loadErrorOf(error))
      }
    },
    [search, mode],
  )
  useEffect(() => {
    const timer = setTimeout(() => void load(null), search ? 200 : 0)
    return () => clearTimeout(timer)
  }, [load, search, version, recoveries])

  // A deletion is carried out when there was time to think better of it.
  useEffect(() => {
    if (!deletion) return
    const remove = () =>
      void api.removeConversation(deletion.id).catch((error: unknown) => setTrouble(messageOf(error)))
    window.addEventListener('pagehide', remove)
    return () => window.removeEventListener('pagehide', remove)
  }, [deletion])
  const carryOut = useCallback(() => {
    if (!deletion) return
    void api.removeConversation(deletion.id).catch((error: unknown) => setTrouble(messageOf(error)))
    setConversations((before) => before?.filter((one) => one.id !== deletion.id) ?? null)
    setDeletion(null)
  }, [deletion])
  const undo = () => {
    const id = deletion?.id ?? ''
    flushSync(() => setDeletion(null))
    document.querySelector<HTMLElement>(`.history a[href="#/c/${id}"]`)?.focus()
  }

  const drop = (one: ConversationSummary, byKey: boolean) => {
    setFocusUndo(byKey)
    if (deletion) void api.removeConversation(deletion.id).then(() => load(null))
    setDeletion(one)
    if (one.id === current) onDelete(one.id)
  }
  const visible = conversations?.filter((one) => one.id !== deletion?.id)
  const filtered = search.trim() !== '' || mode !== ''
  return (
    <nav className="history" aria-label="History">
      <div className="history-head">
        <input
          type="search"
          id="search"
          aria-label="Search"
          placeholder="Search  /"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <select aria-label="Mode" value={mode} onChange={(event) => setMode(event.target.value)}>
          <option value="">All modes</option>
          {modes.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {!visible && lost && <p className="hint">Your history will appear here.</p>}
      {visible?.length === 0 && (
        <p className="hint empty">
          {filtered
            ? 'No matches. Try fewer words, or all modes.'
            : 'No questions yet. Everything you ask is saved here, with every word the models wrote.'}
        </p>
      )}
      <ul>
        {visible?.map((one) => (
          <Entry
            key={one.id}
            one={one}
            current={one.id === current}
            mode={modes.find((mode) => mode.id === one.mode)?.name ?? one.mode}
            onDrop={(byKey) => drop(one, byKey)}
            onRename={() => void load(null)}
          />
        ))}
      </ul>
      {cursor && (
        <button type="button" className="small" onClick={() => void load(cursor)}>
          Show older
        </button>
      )}
      {deletion &&
        createPortal(
          <UndoToast
            key={deletion.id}
            title={deletion.title}
            focus={focusUndo}
            undo={undo}
            carryOut={carryOut}
          />,
          document.body,
        )}
    </nav>
  )
}

/** The way back, for a few seconds; for as long as the pointer or the keyboard is on it. */
function UndoToast({
  title,
  focus,
  undo,
  carryOut,
}: {
  title: string
  focus: boolean
  undo: () => void
  carryOut: () => void
}) {
  const [held, setHeld] = useState(focus)
  useEffect(() => {
    if (held) return
    const timer = setTimeout(carryOut, UNDO_MS)
    return () => clearTimeout(timer)
  }, [held, carryOut])
  return (
    <p
      className="toast"
      role="status"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onKeyDown={(event) => event.key === 'Escape' && carryOut()}
    >
      <span>Deleted “{title}”, with its answers and its figures in Insight.</span>
      <button
        type="button"
        className="small"
        autoFocus={focus}
        onFocus={(event) => setHeld(event.currentTarget.matches(':focus-visible'))}
        onBlur={() => setHeld(false)}
        onClick={undo}
      >
        Undo
      </button>
    </p>
  )
}

function Entry({
  one,
  current,
  mode,
  onDrop,
  onRename,
}: {
  one: ConversationSummary
  current: boolean
  mode: string
  onDrop: (byKey: boolean) => void
  onRename: () => void
}) {
  const [draft, setDraft] = useState<string | null>(null)
  const rename = async () => {
    const title = draft?.trim()
    setDraft(null)
    if (!title || title === one.title) return
    await api.renameConversation(one.id, title).catch(() => undefined)
    onRename()
  }
  if (draft !== null)
    return (
      <li className="renaming">
        <input
          autoFocus
          aria-label="New title"
          value={draft}
          maxLength={200}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={() => void rename()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void rename()
            if (event.key === 'Escape') setDraft(null)
          }}
        />
      </li>
    )
  return (
    <li className={current ? 'current' : ''}>
      <a href={`#/c/${one.id}`} aria-current={current ? 'page' : undefined}>
        <span className="title" dir="auto">
          {one.title}
        </span>
        <span className="note">
          <span className="facts">
            {one.status !== 'complete' && (
              <>
                <span className={`status status-${one.status}`}>{STATUS_WORDS[one.status]}</span> ·{' '}
              </>
            )}
            {mode} ·{' '}
            <time dateTime={one.updatedAt}>
              {new Date(one.updatedAt).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })}
            </time>
          </span>
          {one.simulated && <Badge kind="simulated">Simulated</Badge>}
        </span>
      </a>
      <span className="entry-tools">
        {!endedWithout(one) && (
          <button
            type="button"
            className="small"
            aria-label={`Rename ${one.title}`}
            onClick={() => setDraft(one.title)}
          >
            ✎
          </button>
        )}
        <button
          type="button"
          className="small"
          aria-label={`Delete ${one.title}`}
          // A click without a pointer came from the keyboard, which then finds the way back under its hand.
          onClick={(event) => onDrop(event.detail === 0)}
        >
          ×
        </button>
      </span>
    </li>
  )
}
