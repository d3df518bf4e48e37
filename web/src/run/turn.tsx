// One question and what became of it: the answer first, then how it came about.

import {
  type ComponentType,
  type ReactNode,
  Suspense,
  memo,
  use,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { api, messageOf } from '../api/client'
import type { SharedEvents } from '../api/wire'
import { dollars, duration, plural } from '../ui/format'
import { Markdown } from '../ui/markdown'
import { PanelLooks, SeatLabel, panelOf, seatClass } from '../ui/seats'
import { Badge, Fold, Section } from '../ui/section'
import { FailureLine, causesOf } from './failures'
import { type Feed, feedOf } from './feed'
import type { ModePart, PictureProps } from './mode_part'
import { pictureOf } from './picture'
import { SaidSoFar } from './said_so_far'
import { baseStep, liveCalls, shortfall, stagesAhead, stagesOf, stepName } from './stages'
import { type Call, type Failure, type Story, seatsOf } from './story'

export function Turn({
  question,
  runId,
  running,
  part,
  headline = false,
  tools,
  onEnd,
  onRetry,
}: {
  question: string
  runId: string
  running: boolean
  part: ModePart
  /** The first question of a conversation is its headline. */
  headline?: boolean
  /** What stands under the answer, or where it would stand. */
  tools?: (answer: string | null) => ReactNode
  onEnd: () => void
  /** Missing where the run is only to be read. */
  onRetry?: (runId: string) => Promise<void>
}) {
  const feed = feedOf(runId)
  const story = useSyncExternalStore(feed.subscribe, feed.snapshot)
  const panel = usePanel(story)
  // The run may have ended between the moment it was listed as running and this one.
  const wasRunning = useRef(running || !story.ended)
  useEffect(() => {
    if (story.ended && wasRunning.current) {
      wasRunning.current = false
      onEnd()
    }
  }, [story.ended, onEnd])
  return (
    <article className="turn" tabIndex={-1} data-ended={story.ended} data-run={runId}>
      <QuestionText text={question} headline={headline} />
      {headline && <h2 className="unseen">Answer</h2>}
      <Rail story={story} part={part} />
      <Ending feed={feed} story={story} onRetry={onRetry && (() => onRetry(runId))} />
      {story.opening && (
        <PanelLooks panel={panel}>
          <Suspense fallback={null}>
            <Deliberation story={story} part={part} question={question} runId={runId} tools={tools} />
          </Suspense>
        </PanelLooks>
      )}
    </article>
  )
}

/** Who holds which seat, as far as the calls tell; a seat whose model was replaced keeps the one it began with. */
function usePanel({ calls, failures, events }: Story) {
  const seats = new Map<number, string>()
  for (const { seat, model } of [...failures, ...calls])
    if (seat !== null && model && !seats.has(seat)) seats.set(seat, model)
  // Who reads a shared run is told of no calls: then the events say who holds which seat.
  const key = JSON.stringify([...(seats.size > 0 ? seats : seatsOf(events))])
  return useMemo(() => panelOf(JSON.parse(key) as [number, string][]), [key])
}

const LONG = 320

/** A text that is judged may be long: then its beginning stands for it. */
function QuestionText({ text, headline }: { text: string; headline: boolean }) {
  const long = text.length > LONG || text.split('\n').length > 5
  const [whole, setWhole] = useState(false)
  const Heading = headline ? 'h1' : 'h2'
  return (
    <>
      <Heading className={`question ${long ? 'long' : ''} ${long && !whole ? 'cut' : ''}`} dir="auto">
        {text}
      </Heading>
      {long && (
        <p>
          <button type="button" className="as-link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? 'Show less' : 'Show all'}
          </button>
        </p>
      )}
    </>
  )
}

function Deliberation({
  story,
  part,
  question,
  runId,
  tools,
}: PictureProps & {
  part: ModePart
  runId: string
  tools: ((answer: string | null) => ReactNode) | undefined
}) {
  const { answer, Picture } = use(pictureOf(part))
  const final = answer(story)
  return (
    <>
      {final && (
        <section className="answer" aria-label="Answer">
          <p className="byline">
            {story.opening?.simulated && <Badge kind="simulated">Simulated</Badge>} {final.by}
          </p>
          {final.head}
          {final.body ?? <Markdown text={final.text} />}
        </section>
      )}
      <JsonAnswer story={story} />
      {story.ended && tools?.(final?.text ?? null)}
      {!story.ended && <LiveCalls story={story} part={part} />}
      <Failures story={story} part={part} />
      {story.error && tools && <SaidSoFar runId={runId} part={part} />}
      <div className="picture">
        <EventPicture story={story} question={question} Picture={Picture} />
      </div>
    </>
  )
}

/** The answer in the schema of the program that asked. */
function JsonAnswer({ story }: { story: Story }) {
  const told = story.events.find((event) => event.type === 'schema_complete')
  if (!told) return null
  return (
    <Fold title="The answer as JSON">
      <pre>{(told.data as SharedEvents['schema_complete']['data']).answer}</pre>
    </Fold>
  )
}

/** The pictures hang on numbered events alone: tokens need not draw them again. */
const EventPicture = memo(
  ({ story, question, Picture }: PictureProps & { Picture: ComponentType<PictureProps> }) => (
    <Picture story={story} question={question} />
  ),
  (before, after) => before.story.lastId === after.story.lastId && before.story.ended === after.story.ended,
)

function Rail({ story, part }: { story: Story; part: ModePart }) {
  const stages = stagesOf(story, part)
  return (
    <div className={story.ended ? 'rail over' : 'rail'}>
      <ol aria-label="Stages">
        {stages.map((stage) => (
          <li
            key={stage.id}
            className={stage.to === null ? 'now' : ''}
            aria-current={stage.to === null ? 'step' : undefined}
          >
            <span className="stage-name">{stage.name}</span>
            <span className="note">
              {stage.to === null ? <Since at={stage.from} story={story} /> : duration(stage.to - stage.from)}
            </span>
          </li>
        ))}
        {stagesAhead(story, part).map((name, place) => (
          <li key={`ahead ${place}`} className="ahead">
            <span className="stage-name">{name}</span>
            <span className="unseen"> (to come)</span>
          </li>
        ))}
      </ol>
      <p className="spent">{spendingWords(story)}</p>
    </div>
  )
}

function spendingWords({ spending, ended, events }: Story): string {
  const parts = []
  if (ended && events.length > 0) parts.push(duration(events.at(-1)!.at))
  if (spending.calls > 0) {
    parts.push(
      plural(spending.calls, 'call'),
      `${(spending.promptTokens + spending.completionTokens).toLocaleString('en')} tokens`,
    )
    parts.push(
      spending.unpriced === spending.calls
        ? 'cost unknown'
        : `${dollars(spending.cost)}${spending.unpriced ? ` and ${spending.unpriced} unpriced` : ''}`,
    )
  }
  return parts.join(' · ')
}

/** Time that runs on between two events. */
function Since({ at, story }: { at: number; story: Story }) {
  const [now, setNow] = useState(0)
  const seen = useRef({ at: story.at, when: performance.now() })
  if (story.at > seen.current.at) seen.current = { at: story.at, when: performance.now() }
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 200)
    return () => clearInterval(timer)
  }, [])
  const passed = now > seen.current.when ? now - seen.current.when : 0
  return <>{duration(Math.max(0, seen.current.at + passed - at))}</>
}

function Ending({
  feed,
  story,
  onRetry,
}: {
  feed: Feed
  story: Story
  onRetry: (() => Promise<void>) | undefined
}) {
  const missing = story.ended ? shortfall(story) : null
  // What stands under Problems with its cause is not said here too.
  const other = missing?.filter((one) => !story.failures.some(({ reason }) => one.includes(reason))) ?? []
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  const retry = async () => {
    setBusy(true)
    setTrouble('')
    await onRetry?.().catch((error: unknown) => setTrouble(messageOf(error)))
    setBusy(false)
  }
  const again = onRetry && (
    <button type="button" className="plain" onClick={() => void retry()} disabled={busy}>
      Retry missing calls
    </button>
  )
  return (
    <>
      {story.waiting && !story.ended && (
        <p className="notice bad" role="alert">
          {story.waiting}
        </p>
      )}
      {feed.error && (
        <p className="notice bad" role="alert">
          {feed.error}
        </p>
      )}
      {story.error && (
        <div className="notice bad" role="alert">
          <p>
            <strong>{story.error === 'Cancelled.' ? 'Stopped' : 'Failed'}</strong>
            {story.error !== 'Cancelled.' && <span className="cause">{story.error}</span>}
          </p>
          {onRetry && (
            <p>What was said so far is shown below. A retry makes only the calls that are missing.</p>
          )}
          {again}
        </div>
      )}
      {missing && !story.error && (
        <div className="notice" role="note">
          <p>
            <strong>This answer is incomplete.</strong> Some calls failed or were replaced
            {other.length < missing.length && ': see Problems below'}.
          </p>
          {other.length > 0 && (
            <ul>
              {other.map((one, place) => (
                <li key={place}>{one}</li>
              ))}
            </ul>
          )}
          {again}
        </div>
      )}
      {trouble && (
        <p className="notice bad" role="alert">
          {trouble}
        </p>
      )}
      {!story.ended && story.opening && (
        <p className="line">
          <button
            type="button"
            className="stop"
            onClick={() => void api.cancel(feed.runId).catch(() => undefined)}
          >
            Stop
          </button>
          <span className="note">You can leave: the run continues without you.</span>
        </p>
      )}
    </>
  )
}

function Failures({ story, part }: { story: Story; part: ModePart }) {
  const rest = story.notices.filter((notice) => !shortfall(story)?.includes(notice.message))
  if (story.failures.length === 0 && rest.length === 0) return null
  return (
    <Section title={story.failures.length > 0 ? 'Problems' : 'Good to know'}>
      <ul className="failures">
        {causesOf(story.failures).map(({ failure, steps }, place) => (
          <li key={place}>
            <FailureLine failure={failure} part={part} steps={steps} />
          </li>
        ))}
        {rest.map((notice, place) => (
          <li key={`n${place}`}>{notice.message}</li>
        ))}
      </ul>
    </Section>
  )
}

/** The seats side by side, each with its words from the first token on. */
function LiveCalls({ story, part }: { story: Story; part: ModePart }) {
  const calls = liveCalls(story, part)
  if (calls.length === 0) return <p className="hint waiting">Waiting for the models…</p>
  return (
    <section className="floor" aria-label="Live replies" aria-live="off">
      {calls.map((call) => (
        <LiveCall
          key={call.key}
          call={call}
          part={part}
          failure={story.failures.find(
            (one) => baseStep(one.step) === baseStep(call.step) && one.seat === call.seat,
          )}
        />
      ))}
    </section>
  )
}

const LiveCall = memo(function LiveCall({
  call,
  part,
  failure,
}: {
  call: Call
  part: ModePart
  failure: Failure | undefined
}) {
  const body = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  useEffect(() => {
    if (following.current && body.current) body.current.scrollTop = body.current.scrollHeight
  }, [call.text])
  const state = failure
    ? 'failed'
    : call.done
      ? `done in ${duration(call.responseTimeMs ?? 0)}`
      : call.text
        ? 'writing'
        : 'thinking'
  return (
    <section className={`column-live ${seatClass(call.seat, call.model)} ${call.done ? 'done' : ''}`}>
      <header>
        <SeatLabel
          seat={call.seat}
          model={call.model}
          role={call.seat === null ? stepName(call.step, part) : undefined}
        />
        <span className="note state">{state}</span>
      </header>
      <div
        className="column-body"
        ref={body}
        tabIndex={0}
        role="group"
        aria-label="Text so far"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          following.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {failure ? (
          <FailureLine failure={failure} part={part} />
        ) : call.text ? (
          <Markdown text={call.text} growing lines />
        ) : call.done ? (
          <p className="hint">Done. The text appears when the stage ends.</p>
        ) : (
          <p className="hint dots">…</p>
        )}
      </div>
    </section>
  )
})
