// The story of a run, told by its events alone: the same whether they come live or from the store.

import type { LiveEvents, ModeEvents, ModeId, SharedEvents, Usage } from '../api/wire'

export interface Opening {
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
export interface Told {
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

export interface Spent {
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
  opening: Opening | null
  events: readonly Told[]
  calls: readonly Call[]
  failures: readonly Failure[]
  notices: readonly Notice[]
  spent: Spent
  counted: ReadonlySet<string>
  title: string | null
  error: string | null
  ended: boolean
  at: number
}

export const UNTOLD: Story = {
  lastId: 0,
  opening: null,
  events: [],
  calls: [],
  failures: [],
  notices: [],
  spent: { calls: 0, promptTokens: 0, completionTokens: 0, cost: 0, unpriced: 0 },
  counted: new Set(),
  title: null,
  error: null,
  ended: false,
  at: 0,
}

export interface Line {
  id: number | null
  event: { type: string; at: number } & Record<string, unknown>
}

/** What a reader who comes back must forget: the words of running calls are sent again from their start. */
export function rejoined(story: Story): Story {
  return { ...story, calls: story.calls.filter((call) => call.done) }
}

export function tell(story: Story, lines: readonly Line[]): Story {
  let next = story
  for (const line of lines) next = line.id === null ? live(next, line) : told(next, line.id, line)
  return next
}

function told(story: Story, id: number, { event }: Line): Story {
  if (id <= story.lastId) return story
  const next: Story = {
    ...story,
    lastId: id,
    at: Math.max(story.at, event.at),
    events: [...story.events, { ...event, id }],
  }
  if (id === 1) return { ...next, opening: event as unknown as Opening }
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

function live(story: Story, { event }: Line): Story {
  const at = Math.max(story.at, event.at)
  switch (event.type as keyof LiveEvents) {
    case 'call_start':
      return {
        ...story,
        at,
        calls: started(story.calls, event.at, event.data as LiveEvents['call_start']['data']),
      }
    case 'token':
      return {
        ...story,
        at,
        calls: heard(story.calls, event.at, event.data as LiveEvents['token']['data']),
      }
    case 'call_complete': {
      const data = event.data as LiveEvents['call_complete']['data']
      const mark = `${event.at} ${JSON.stringify(data)}`
      // A call one knows of already: what it said was sent again to whoever had missed it.
      if (story.counted.has(mark))
        return { ...story, at, calls: without(story.calls, running(story.calls, data)) }
      return {
        ...story,
        at,
        calls: finished(story.calls, event.at, data),
        spent: spend(story.spent, data.usage, data.cost),
        counted: new Set(story.counted).add(mark),
      }
    }
  }
  return story
}

interface Who {
  step: string
  seat: number | null
  model: string | null
  call: string
}

const nameOf = ({ step, seat, call }: Who) => `${step} ${seat ?? ''} ${call}`
const running = (calls: readonly Call[], who: Who) =>
  calls.findIndex((call) => !call.done && call.key === nameOf(who))

const without = (calls: readonly Call[], place: number) => calls.filter((_, index) => index !== place)

function begun(who: Who, at: number): Call {
  return {
    key: nameOf(who),
    step: who.step,
    seat: who.seat,
    model: who.model,
    text: '',
    startedAt: at,
    done: false,
    responseTimeMs: null,
  }
}

function started(calls: readonly Call[], at: number, data: Who & { attempt: number }): Call[] {
  const place = running(calls, data)
  const before = calls[place]
  if (!before) return [...calls, begun(data, at)]
  return calls.with(place, { ...before, text: '' })
}

function heard(calls: readonly Call[], at: number, data: Who & { text: string }): Call[] {
  const place = running(calls, data)
  const before = calls[place]
  if (!before) return [...calls, { ...begun(data, at), text: data.text }]
  return calls.with(place, { ...before, text: before.text + data.text })
}

function finished(calls: readonly Call[], at: number, data: Who & { responseTimeMs: number }): Call[] {
  const place = running(calls, data)
  const before = calls[place] ?? begun(data, at - data.responseTimeMs)
  const after = { ...before, done: true, responseTimeMs: data.responseTimeMs }
  return place < 0 ? [...calls, after] : calls.with(place, after)
}

function spend(spent: Spent, usage: Usage, cost: number | null): Spent {
  return {
    calls: spent.calls + 1,
    promptTokens: spent.promptTokens + (usage.promptTokens ?? 0),
    completionTokens: spent.completionTokens + (usage.completionTokens ?? 0),
    cost: spent.cost + (cost ?? 0),
    unpriced: spent.unpriced + (cost === null ? 1 : 0),
  }
}

/** The last event of a mode under that name. */
export function last<M extends ModeId, T extends keyof ModeEvents[M] & string>(
  story: Story,
  _mode: M,
  type: T,
): ModeEvents[M][T] | undefined {
  return story.events.findLast((event) => event.type === type && event.id > 1) as ModeEvents[M][T] | undefined
}

/** Every event of a mode under that name, in the order they were told. */
export function every<M extends ModeId, T extends keyof ModeEvents[M] & string>(
  story: Story,
  _mode: M,
  type: T,
): ModeEvents[M][T][] {
  return story.events.filter((event) => event.type === type && event.id > 1) as unknown as ModeEvents[M][T][]
}
