// Feeds: one per run, shared by all who show it. A feed follows the run to its end and comes back for the
// rest whenever the connection is lost.

import { type Line, type Story, UNTOLD, rejoined, tell } from './story'
import { frameReader } from '../api/sse'
import { Refused, refusal } from '../api/client'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8000
/** A browser opens six connections to a server, for all its tabs: who is not looked at gives its own back. */
const UNSEEN_MS = 3000

export class Feed {
  story: Story = UNTOLD
  lost = false
  /** Why nothing more can be had; the story stays as far as it was told. */
  refused: string | null = null
  private readonly listeners = new Set<() => void>()
  private waiting: Line[] = []
  private frame = 0
  private leave = new AbortController()
  private unseen: ReturnType<typeof setTimeout> | undefined
  private wake: (() => void) | null = null

  constructor(readonly runId: string) {
    document.addEventListener('visibilitychange', this.looked)
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener)
    this.looked()
    return () => {
      this.listeners.delete(listener)
      this.looked()
    }
  }

  private get isSeen() {
    return this.listeners.size > 0 && !document.hidden
  }

  private looked = () => {
    clearTimeout(this.unseen)
    if (this.isSeen) this.wake?.()
    else this.unseen = setTimeout(() => this.leave.abort(), UNSEEN_MS)
  }

  snapshot = () => this.story

  /** Read a response that is already open, then whatever is missing. */
  async follow(response: Response | null): Promise<void> {
    let wait = FIRST_WAIT_MS
    for (let open = response; !this.story.ended; open = null) {
      await this.untilSeen()
      try {
        const before = this.story.lastId
        const stream = open ?? (await this.reopen())
        if (stream.status === 204) {
          this.end()
          return
        }
        this.found()
        await this.read(stream)
        this.flush()
        if (this.story.lastId > before) wait = FIRST_WAIT_MS
      } catch (error) {
        if (error instanceof Refused && error.status < 500) {
          this.give_up(error.message)
          return
        }
      }
      this.flush()
      if (this.snapshot().ended) return
      if (this.leave.signal.aborted) continue
      this.lost = true
      this.notify()
      await new Promise((resolve) => setTimeout(resolve, wait))
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
  }

  private async untilSeen(): Promise<void> {
    if (!this.leave.signal.aborted) return
    if (!this.isSeen) await new Promise<void>((resolve) => (this.wake = resolve))
    this.leave = new AbortController()
  }

  private async reopen(): Promise<Response> {
    const headers: Record<string, string> = this.story.lastId
      ? { 'Last-Event-ID': String(this.story.lastId) }
      : {}
    const response = await fetch(`/api/runs/${this.runId}/events?streamTokens=true`, { headers })
    if (!response.ok) throw await refusal(response)
    this.story = rejoined(this.story)
    return response
  }

  private async read(response: Response): Promise<void> {
    for await (const line of linesOf(response, this.leave.signal)) this.push(line)
  }

  push(line: Line) {
    this.waiting.push(line)
    // A hidden tab has no animation frames; its story must go on all the same.
    if (document.hidden) {
      this.flush()
      return
    }
    this.frame ||= requestAnimationFrame(() => this.flush())
  }

  private flush() {
    cancelAnimationFrame(this.frame)
    this.frame = 0
    if (this.waiting.length === 0) return
    this.story = tell(this.story, this.waiting)
    this.waiting = []
    this.notify()
  }

  private found() {
    if (this.lost) {
      this.lost = false
      this.notify()
    }
  }

  private give_up(reason: string) {
    this.refused = reason
    this.end()
  }

  private end() {
    this.story = { ...this.story, ended: true }
    this.notify()
  }

  private notify() {
    // A new object, so that what hangs on `lost` is drawn too.
    this.story = { ...this.story }
    for (const listener of this.listeners) listener()
  }
}

export async function* linesOf(response: Response, leave?: AbortSignal): AsyncGenerator<Line> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  leave?.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
  const frames = frameReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      for (const { id, data } of frames(value)) yield { id, event: JSON.parse(data) as Line['event'] }
    }
  } finally {
    void reader.cancel().catch(() => undefined)
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

/** Start a run by this request and give its feed once the run has a name. */
export async function begin(path: string, body?: unknown): Promise<{ feed: Feed; conversationId: string }> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (body !== undefined) headers['Idempotency-Key'] = crypto.randomUUID()
  const init: RequestInit = { method: 'POST', headers }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await fetch(path, init)
  if (!response.ok) throw await refusal(response)
  const [mine, theirs] = response.body!.tee()
  for await (const line of linesOf(new Response(mine))) {
    if (line.id !== 1) continue
    const feed = new Feed(String(line.event.runId))
    feeds.set(feed.runId, feed)
    void feed.follow(new Response(theirs))
    return { feed, conversationId: String(line.event.conversationId) }
  }
  throw new Error('The server ended the stream before the run began.')
}
