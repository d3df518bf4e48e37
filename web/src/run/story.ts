// The story of a run, made of its events alone: the same whether they come live or from the store.

import type { StreamEvent } from '../api/stream'
import type { LiveEvents, SharedEvents, Usage } from '../api/wire'

export interface OpeningEvent {
  type: string
  at: number
  conversationId: string
  messageId: string
  mode: string
  runId: string
  retryOf?: string
  simulated?: boolean
}

/** A numbered event: any mode's, or one that all modes share. */
export interface StoredEvent {
  id: number
  type: string
  at: number
  data?: unknown
}

export interface Call {
  key: string
  step: string
  seat: number | null
  model: string | null
  text: string
  startedAt: number
  done: boolean
  responseTimeMs: number | null
}

export interface Spending {
  calls: number
  promptTokens: number
  completionTokens: number
  cost: number
  unpriced: number
}

export type Failure = SharedEvents['model_failed']['data']
export type Notice = SharedEvents['warning']['data']

export interface Story {
  lastId: number
  opening: OpeningEvent | null
  events: readonly StoredEvent[]
  calls: readonly Call[]
  failures: readonly Failure[]
  notices: readonly Notice[]
  /** Why the run waits, while it does: sent live, and no part of what is stored. */
  waiting: string | null
  spending: Spending
  /** The calls that are in `spending` already. */
  paidCalls: ReadonlySet<string>
  title: string | null
  error: string | null
  ended: boolean
  at: number
}

export const EMPTY_STORY: Story = {
  lastId: 0,
  opening: null,
  events: [],
  calls: [],
  failures: [],
  notices: [],
  waiting: null,
  spending: { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0, unpriced: 0 },
  paidCalls: new Set(),
  title: null,
  error: null,
  ended: false,
  at: 0,
}

/** What a reader who comes back must forget: the words of running calls are sent again from their start. */
export function withoutRunningCalls(story: Story): Story {
  return { ...story, waiting: null, calls: story.calls.filter((call) => call.done) }
}

export function addEvents(story: Story, events: readonly StreamEvent[]): Story {
  let next = story
  for (const one of events) next = one.id === null ? addLive(next, one) : addStored(next, one.id, one)
  return next
}

function addStored(story: Story, id: number, { event }: StreamEvent): Story {
  if (id <= story.lastId) return story
  const next: Story = {
    ...story,
    lastId: id,
    at: Math.max(story.at, event.at),
    events: [...story.events, { ...event, id }],
  }
  if (id === 1) return { ...next, opening: event as unknown as OpeningEvent }
  switch (event.type) {
    case 'model_failed':
      return { ...next, failures: [...story.failures, event.data as Failure] }
    case 'warning':
      return { ...next, notices: [...story.notices, event.data as Notice] }
    case 'title_complete':
      return { ...next, title: (event.data as { title: string }).title }
    case 'error':
      return { ...next, error: String(event.message), ended: true }
    case 'complete':
      return { ...next, ended: true }
  }
  return next
}

function addLive(story: Story, { event }: StreamEvent): Story {
  const at = Math.max(story.at, event.at)
  if (event.type === 'warning') {
    const { code, message } = event.data as Notice
    return { ...story, at, waiting: code === 'storage' ? message : null }
  }
  switch (event.type as keyof LiveEvents) {
    case 'call_start':
      return {
        ...story,
        at,
        calls: startCall(story.calls, event.at, event.data as LiveEvents['call_start']['data']),
      }
    case 'token':
      return {
        ...story,
        at,
        calls: addToken(story.calls, event.at, event.data as LiveEvents['token']['data']),
      }
    case 'call_complete': {
      const data = event.data as LiveEvents['call_complete']['data']
      const mark = `${event.at} ${JSON.stringify(data)}`
      // A call one knows of already: its words were sent again to whoever had missed them.
      if (story.paidCalls.has(mark))
        return { ...story, at, calls: withoutIndex(story.calls, runningIndex(story.calls, data)) }
      return {
        ...story,
        at,
        calls: completeCall(story.calls, event.at, data),
        spending: addSpending(story.spending, data.usage, data.cost),
        paidCalls: new Set(story.paidCalls).add(mark),
      }
    }
  }
  return story
}

interface CallId {
  step: string
  seat: number | null
  model: string | null
  call: string
}

const keyOf = ({ step, seat, call }: CallId) => `${step} ${seat ?? ''} ${call}`
const runningIndex = (calls: readonly Call[], id: CallId) =>
  calls.findIndex((call) => !call.done && call.key === keyOf(id))

const withoutIndex = (calls: readonly Call[], index: number) => calls.filter((_, place) => place !== index)

function newCall(id: CallId, at: number): Call {
  return {
    key: keyOf(id),
    step: id.step,
    seat: id.seat,
    model: id.model,
    text: '',
    startedAt: at,
    done: false,
    responseTimeMs: null,
  }
}

function startCall(calls: readonly Call[], at: number, data: CallId & { attempt: number }): Call[] {
  const index = runningIndex(calls, data)
  const before = calls[index]
  if (!before) return [...calls, newCall(data, at)]
  return calls.with(index, { ...before, text: '' })
}

function addToken(calls: readonly Call[], at: number, data: CallId & { text: string }): Call[] {
  const index = runningIndex(calls, data)
  const before = calls[index]
  if (!before) return [...calls, { ...newCall(data, at), text: data.text }]
  return calls.with(index, { ...before, text: before.text + data.text })
}

function completeCall(calls: readonly Call[], at: number, data: CallId & { responseTimeMs: number }): Call[] {
  const index = runningIndex(calls, data)
  const before = calls[index] ?? newCall(data, at - data.responseTimeMs)
  const after = { ...before, done: true, responseTimeMs: data.responseTimeMs }
  return index < 0 ? [...calls, after] : calls.with(index, after)
}

function addSpending(before: Spending, usage: Usage, cost: number | null): Spending {
  return {
    calls: before.calls + 1,
    promptTokens: before.promptTokens + (usage.promptTokens ?? 0),
    completionTokens: before.completionTokens + (usage.completionTokens ?? 0),
    cost: before.cost + (cost ?? 0),
    unpriced: before.unpriced + (cost === null ? 1 : 0),
  }
}

/** A mode's way to read its own events out of a story: `const { last, every } = eventsOf<Events>()`. */
export function eventsOf<Events>() {
  return {
    /** The last event of that type. */
    last: <T extends keyof Events & string>(story: Story, type: T): Events[T] | undefined =>
      story.events.findLast((event) => event.type === type && event.id > 1) as Events[T] | undefined,
    /** Every event of that type, in their order. */
    every: <T extends keyof Events & string>(story: Story, type: T): Events[T][] =>
      story.events.filter((event) => event.type === type && event.id > 1) as Events[T][],
  }
}

/** Who holds which seat, as far as the events tell: the first model that is named with a seat. */
export function seatsOf(events: readonly StoredEvent[]): ReadonlyMap<number, string> {
  const seats = new Map<number, string>()
  const look = (data: unknown) => {
    if (typeof data !== 'object' || data === null) return
    const { seat, model } = data as { seat?: unknown; model?: unknown }
    if (typeof seat === 'number' && typeof model === 'string' && !seats.has(seat)) seats.set(seat, model)
    Object.values(data).forEach(look)
  }
  for (const event of events) look(event.data)
  return seats
}
