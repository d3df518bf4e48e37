// Feeds: one per run, shared by all who show it. A feed follows the run to its end and comes back for the
// rest whenever the connection is lost.

import { ApiError, request } from '../api/client'
import { pause } from '../api/connection'
import { type StreamEvent, readEvents } from '../api/stream'
import { EMPTY_STORY, type Story, addEvents, withoutRunningCalls } from './story'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000
/** A browser opens six connections to a server, for all its tabs: who is not looked at gives its own back. */
const HIDDEN_MS = 3000

export class Feed {
  story: Story = EMPTY_STORY
  /** Why nothing more can be had; the story stays as far as it came. */
  error: string | null = null
  private readonly listeners = new Set<() => void>()
  private queue: StreamEvent[] = []
  private frame = 0
  private connection = new AbortController()
  private hiddenTimer: ReturnType<typeof setTimeout> | undefined
  private wake: (() => void) | null = null

  constructor(
    readonly runId: string,
    private readonly path = `/api/runs/${runId}/events?streamTokens=true`,
  ) {
    document.addEventListener('visibilitychange', this.watchersChanged)
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    this.watchersChanged()
    return () => {
      this.listeners.delete(listener)
      this.watchersChanged()
    }
  }

  private get isWatched() {
    return this.listeners.size > 0 && !document.hidden
  }

  private watchersChanged = () => {
    clearTimeout(this.hiddenTimer)
    if (this.isWatched) this.wake?.()
    else this.hiddenTimer = setTimeout(() => this.connection.abort(), HIDDEN_MS)
  }

  snapshot = () => this.story

  /** Read a response that is already open, then whatever is missing. */
  async follow(response: Response | null): Promise<void> {
    let wait = FIRST_WAIT_MS
    for (let open = response; !this.story.ended; open = null) {
      await this.untilWatched()
      try {
        const before = this.story.lastId
        const stream = open ?? (await this.reopen())
        if (stream.status === 204) {
          this.end()
          return
        }
        await this.read(stream)
        this.flush()
        if (this.story.lastId > before) wait = FIRST_WAIT_MS
      } catch (error) {
        if (error instanceof ApiError && error.status > 0 && error.status < 500) {
          this.error = error.message
          this.end()
          return
        }
      }
      this.flush()
      if (this.snapshot().ended) return
      if (this.connection.signal.aborted) continue
      await pause(wait)
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
  }

  private async untilWatched(): Promise<void> {
    if (!this.connection.signal.aborted) return
    if (!this.isWatched) await new Promise<void>((resolve) => (this.wake = resolve))
    this.connection = new AbortController()
  }

  private async reopen(): Promise<Response> {
    const headers: Record<string, string> = this.story.lastId
      ? { 'Last-Event-ID': String(this.story.lastId) }
      : {}
    const response = await request(this.path, { headers })
    this.story = withoutRunningCalls(this.story)
    return response
  }

  private async read(response: Response): Promise<void> {
    for await (const event of readEvents(response, this.connection.signal)) this.push(event)
  }

  private push(event: StreamEvent) {
    this.queue.push(event)
    // A hidden tab has no animation frames; its story must go on all the same.
    if (document.hidden) this.flush()
    else this.frame ||= requestAnimationFrame(() => this.flush())
  }

  private flush() {
    cancelAnimationFrame(this.frame)
    this.frame = 0
    if (this.queue.length === 0) return
    this.story = addEvents(this.story, this.queue)
    this.queue = []
    this.notify()
  }

  private end() {
    this.story = { ...this.story, ended: true }
    this.notify()
  }

  private notify() {
    for (const listener of this.listeners) listener()
  }
}

const feeds = new Map<string, Feed>()

/** The feed of a run; opened if nobody has it yet. */
export function feedOf(runId: string): Feed {
  let feed = feeds.get(runId)
  if (!feed) {
    feed = new Feed(runId)
    feeds.set(runId, feed)
    void feed.follow(null)
  }
  return feed
}

/** The feed of a run that somebody shared, to be found under the link's token. */
export function openShared(token: string): void {
  if (feeds.has(token)) return
  const feed = new Feed(token, `/api/shared/${token}/events`)
  feeds.set(token, feed)
  void feed.follow(null)
}

/** Random enough to name one request. A page without TLS has no `randomUUID`. */
const requestKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

/** Start a run by this request and give its feed once the run has a name. */
export async function startRun(
  path: string,
  body?: unknown,
): Promise<{ feed: Feed; conversationId: string }> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (body !== undefined) headers['Idempotency-Key'] = requestKey()
  const init: RequestInit = { method: 'POST', headers }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await request(path, init)
  const [first, rest] = response.body!.tee()
  for await (const { id, event } of readEvents(new Response(first))) {
    if (id !== 1) continue
    const feed = new Feed(String(event.runId))
    feeds.set(feed.runId, feed)
    void feed.follow(new Response(rest))
    return { feed, conversationId: String(event.conversationId) }
  }
  throw new Error('The server closed the connection before the run started.')
}
