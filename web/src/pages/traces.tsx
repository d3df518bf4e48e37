// The shelf: what dialectics left behind, to be read, rated and exported; and the templates they begin from.

import { type SubmitEvent, useCallback, useEffect, useRef, useState } from 'react'
import { api, loadErrorOf, messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import { endWords, reasonWords, traceApi } from '../api/traces'
import type { TraceStats, TraceSummary } from '../api/wire'
import { Rating } from '../run/rating'
import { download } from '../ui/download'
import { decimal, plural } from '../ui/format'
import { Markdown } from '../ui/markdown'
import { SeatLabel } from '../ui/seats'
import { Badge, Fold } from '../ui/section'
import { Templates } from './templates'
import './traces.css'

const PAGE = '20'
const DAY = 86_400_000
const FORMATS = { chat: 'Chat', alpaca: 'Alpaca', dpo: 'Preferences (DPO)', raw: 'Whole traces' }

interface Filter {
  search: string
  minQuality: string
  from: string
  to: string
  eligible: boolean
}

const EVERYTHING: Filter = { search: '', minQuality: '', from: '', to: '', eligible: false }
const since = (day: string) => new Date(`${day}T00:00`).getTime()

function queryOf({ search, minQuality, from, to, eligible }: Filter): Record<string, string> {
  const query: Record<string, string> = { limit: PAGE }
  if (search.trim()) query.search = search.trim()
  if (minQuality) query.minQuality = minQuality
  if (from) query.from = String(since(from))
  if (to) query.to = String(since(to) + DAY)
  if (eligible) query.eligible = 'true'
  return query
}

export default function Traces() {
  const [filter, setFilter] = useState(EVERYTHING)
  const [traces, setTraces] = useState<TraceSummary[] | null>(null)
  const [cursor, setCursor] = useState<string | null>(null)
  const [stats, setStats] = useState<TraceStats | null>(null)
  const [trouble, setTrouble] = useState('')
  const newestRequest = useRef(0)
  const { recoveries } = useConnection()
  const load = useCallback(
    async (after: string | null) => {
      const mine = ++newestRequest.current
      try {
        const page = await traceApi.list({ ...queryOf(filter), ...(after ? { cursor: after } : {}) })
        if (mine !== newestRequest.current) return
        setTraces((before) => (after ? [...(before ?? []), ...page.traces] : page.traces))
        setCursor(page.nextCursor)
        setTrouble('')
      } catch (error) {
        if (mine === newestRequest.current) setTrouble(loadErrorOf(error))
      }
    },
    [filter],
  )
  useEffect(() => {
    const timer = setTimeout(() => void load(null), filter.search ? 200 : 0)
    return () => clearTimeout(timer)
  }, [load, filter.search, recoveries])
  const count = () => void traceApi.stats().then(setStats, (error: unknown) => setTrouble(loadErrorOf(error)))
  useEffect(count, [recoveries])
  const changed = (trace: TraceSummary) => {
    setTraces((before) => before?.map((one) => (one.id === trace.id ? trace : one)) ?? null)
    count()
  }
  return (
    <div className="shelf">
      <header className="heading">
        <h1>Traces and templates</h1>
        <p className="hint">
          Every dialectic leaves a trace: the question, its rounds and the answer. Export the good ones to
          train a model.
        </p>
      </header>
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      <section aria-labelledby="traces">
        <h2 id="traces">
          Traces{' '}
          <span className="note">
            {stats &&
              stats.total > 0 &&
              `${plural(stats.total, 'trace')} · ${stats.avgQuality === null ? 'none graded' : `quality ${decimal(stats.avgQuality)} on average`} · ${stats.eligible} good enough for training`}
          </span>
        </h2>
        {stats?.total === 0 ? (
          <p className="empty">
            No traces yet. <a href="#/">Ask a question</a> in Dialectic mode: a proposer answers, a skeptic
            challenges the answer, and the whole exchange is kept here.
          </p>
        ) : (
          <>
            <Filters filter={filter} set={setFilter} />
            <ul className="traces" aria-label="Traces">
              {traces?.map((one) => (
                <li key={one.id}>
                  <Trace trace={one} onChange={changed} />
                </li>
              ))}
            </ul>
            {traces?.length === 0 && <p className="empty">No matches.</p>}
            {cursor && (
              <button type="button" className="plain" onClick={() => void load(cursor)}>
                More
              </button>
            )}
            <Export filter={filter} />
          </>
        )}
      </section>
      <Templates />
    </div>
  )
}

function Filters({ filter, set }: { filter: Filter; set: (filter: Filter) => void }) {
  return (
    <form className="filters" role="search" aria-label="Traces" onSubmit={(event) => event.preventDefault()}>
      <label>
        Search
        <input
          type="search"
          value={filter.search}
          onChange={(event) => set({ ...filter, search: event.target.value })}
        />
      </label>
      <label>
        Quality
        <select
          value={filter.minQuality}
          onChange={(event) => set({ ...filter, minQuality: event.target.value })}
        >
          <option value="">any</option>
          {[5, 6, 7, 8, 9].map((least) => (
            <option key={least} value={least}>{`${least} or better`}</option>
          ))}
        </select>
      </label>
      <label>
        From
        <input
          type="date"
          value={filter.from}
          max={filter.to}
          onChange={(event) => set({ ...filter, from: event.target.value })}
        />
      </label>
      <label>
        To
        <input
          type="date"
          value={filter.to}
          min={filter.from}
          onChange={(event) => set({ ...filter, to: event.target.value })}
        />
      </label>
      <label className="tick">
        <input
          type="checkbox"
          checked={filter.eligible}
          onChange={(event) => set({ ...filter, eligible: event.target.checked })}
        />
        good enough for training
      </label>
    </form>
  )
}

const quality = (trace: TraceSummary) =>
  trace.user_rating !== null
    ? `${trace.user_rating} of 10, by you`
    : trace.auto_score !== null
      ? `${decimal(trace.auto_score)} of 10, by the judge`
      : 'not graded'

function Trace({ trace, onChange }: { trace: TraceSummary; onChange: (trace: TraceSummary) => void }) {
  const [trouble, setTrouble] = useState('')
  const open = async () => {
    try {
      const run = await api.run(trace.id)
      location.hash = `#/c/${run.conversationId}?run=${trace.id}`
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <Fold
      title={<span dir="auto">{trace.query}</span>}
      note={
        <>
          {quality(trace)} · {plural(trace.total_rounds, 'round')} ·{' '}
          <time dateTime={trace.timestamp}>
            {new Date(trace.timestamp).toLocaleDateString('en', { dateStyle: 'medium' })}
          </time>{' '}
          {trace.eligible ? <Badge kind="good">good for training</Badge> : null}
        </>
      }
    >
      <p className="line">
        {Object.entries(trace.models)
          .filter(([role]) => role !== 'embedding')
          .map(([role, model]) => (
            <SeatLabel key={role} model={model} role={role} />
          ))}
      </p>
      {!trace.eligible && <p className="hint">Not exported: {reasonWords(trace.reasons)}.</p>}
      <p className="hint">
        {trace.early_stopped ? 'Settled early' : 'Ended'}: {endWords(trace.stop_reason)}.
        {trace.templates_used.length > 0 && ` Templates: ${trace.templates_used.join(', ')}.`}
      </p>
      <Markdown text={trace.final_answer} />
      <Rating
        traceId={trace.id}
        reasons={trace.reasons.filter((one) => one !== 'low_quality')}
        onChange={onChange}
      />
      <p className="line">
        <button type="button" className="plain" onClick={() => void open()}>
          Open the run
        </button>
        {trouble && <span role="alert">{trouble}</span>}
      </p>
    </Fold>
  )
}

/** Takes away what the filter shows, as far as it is good enough. */
function Export({ filter }: { filter: Filter }) {
  const [format, setFormat] = useState('chat')
  const [state, setState] = useState<'ready' | 'busy' | { trouble: string }>('ready')
  const take = async (event: SubmitEvent) => {
    event.preventDefault()
    setState('busy')
    const filters: Record<string, unknown> = {}
    if (filter.minQuality) filters.minQuality = Number(filter.minQuality)
    if (filter.search.trim()) filters.search = filter.search.trim()
    if (filter.from) filters.since = since(filter.from)
    if (filter.to) filters.until = since(filter.to) + DAY
    try {
      download(await traceApi.export({ format, filters }), `traces ${format}`, 'zip')
      setState('ready')
    } catch (error) {
      setState({ trouble: messageOf(error) })
    }
  }
  return (
    <form className="line export" onSubmit={(event) => void take(event)}>
      <label>
        Export as{' '}
        <select value={format} onChange={(event) => setFormat(event.target.value)}>
          {Object.entries(FORMATS).map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="plain" disabled={state === 'busy'}>
        Export
      </button>
      <span className="note">
        A zip for training and validation, with a list of what was left out and why.{' '}
        {filter.minQuality ? '' : 'Quality 8 or better.'}
      </span>
      {typeof state === 'object' && (
        <p className="notice bad" role="alert">
          {state.trouble}
        </p>
      )}
    </form>
  )
}
