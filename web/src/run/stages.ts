// The stages of a run by its events, each until the next one starts; and the calls of the one that goes on.

import { humanize } from '../ui/format'
import type { ModePart } from './mode_part'
import type { Call, StoredEvent, Story } from './story'

export interface Stage {
  id: number
  name: string
  from: number
  to: number | null
}

function stageName(event: StoredEvent, part: ModePart): string {
  const name = part.stageName?.(event)
  if (name != null) return name
  const base = event.type.replace(/_start$/, '')
  const { round } = (event.data ?? {}) as { round?: number }
  return [part.names[base] ?? humanize(base), round].filter((one) => one != null).join(' ')
}

const isNotFirst = (event: StoredEvent) => event.id > 1

export function stagesOf(story: Story, part: ModePart): Stage[] {
  const isStage = part.isStage ?? isNotFirst
  const starts = story.events.filter((event) => event.type.endsWith('_start') && isStage(event))
  return starts.map((event, index) => ({
    id: event.id,
    name: stageName(event, part),
    from: event.at,
    to: starts[index + 1]?.at ?? (story.ended ? story.events.at(-1)!.at : null),
  }))
}

const withoutNumber = (name: string) => name.replace(/ \d+$/, '')

/** The stages that are still to come, as far as anyone knows: a further round is not foretold. */
export function stagesAhead(story: Story, part: ModePart): readonly string[] {
  if (story.ended) return []
  const plan = typeof part.plan === 'function' ? part.plan(story) : part.plan
  const newest = stagesOf(story, part).at(-1)
  return newest ? plan.slice(plan.lastIndexOf(withoutNumber(newest.name)) + 1) : plan
}

/** A step without what marks a second try. */
export const baseStep = (step: string): string => step.split('/')[0]!

/** Calls that are made side by side have one name for the whole of them. */
function groupOf(step: string, part: ModePart): string {
  const base = baseStep(step)
  return part.parallelSteps?.exec(base)?.[1] ?? base
}

/** A step as a reader of the stages knows it. */
export const stepName = (step: string, part: ModePart): string =>
  part.stepName?.(baseStep(step)) ?? part.names[groupOf(step, part)] ?? humanize(baseStep(step))

/** Steps that are numbered, called by the number and not by what stands before it. */
export const numbered =
  (names: Readonly<Record<string, string>>) =>
  (step: string): string | null => {
    const [, start, number] = /^(.+)_(\d+)$/.exec(step) ?? []
    const name = start === undefined ? undefined : names[start]
    return name === undefined ? null : `${name} ${number}`
  }

/** The calls of the newest group, each seat once, by its newest try. */
export function liveCalls(story: Story, part: ModePart): Call[] {
  const calls = story.calls.filter((call) => call.step !== 'title')
  const newest = calls.reduce<Call | null>(
    (before, call) => (!before || call.startedAt >= before.startedAt ? call : before),
    null,
  )
  if (!newest) return []
  const group = groupOf(newest.step, part)
  const places = new Map<string, Call>()
  const counts = new Map<string, number>()
  for (const call of calls) {
    if (groupOf(call.step, part) !== group) continue
    // What one step asks one seat at the same time, as in the two orders of a match, stands side by side.
    const name = `${call.step} ${call.seat ?? call.model}`
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    places.set(`${baseStep(call.step)} ${call.seat ?? call.model} ${count}`, call)
  }
  const order = (call: Call) => Number(/_(\d+)$/.exec(call.step)?.[1] ?? 0) * 100 + (call.seat ?? 99)
  return [...places.values()].sort((a, b) => order(a) - order(b))
}

/** What was missing or replaced, if the answer is not a full one. */
export function shortfall(story: Story): string[] | null {
  // A stage may have fallen back without harm: the last word on it counts.
  const reports = story.events.map(
    (event) => event.data as { degraded?: boolean; warnings?: string[] } | undefined,
  )
  const latest = reports.findLast((data) => typeof data?.degraded === 'boolean')
  return latest?.degraded ? (latest.warnings ?? []) : null
}
