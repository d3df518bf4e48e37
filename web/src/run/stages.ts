// The stages of a run, as its events tell them: each lasts until the next one starts.

import { words } from '../ui/parts'
import type { Call, Story, Told } from './story'

export interface Stage {
  id: number
  name: string
  from: number
  to: number | null
}

export const NAMES: Record<string, string> = {
  answers: 'Answers',
  assembly: 'Assembly',
  attack: 'Attack',
  classify: 'The kind of question',
  clustering: 'Clusters',
  collect: 'Answers',
  consolidation: 'Consolidation',
  cross_review: 'Cross-review',
  defend: 'Defence',
  deliberation: 'Jurors',
  expansion: 'Sections',
  extract: 'Claims',
  generate: 'Draft',
  ideation: 'Ideas',
  outline: 'Outline',
  plan: 'Plan',
  present: 'Reading',
  rag: 'Templates',
  refinement: 'Proposal',
  report: 'Report',
  reviewers: 'Reviews',
  revision: 'Second thoughts',
  round: 'Round',
  round1: 'First answers',
  scoring: 'Scores',
  specialist: 'Experts',
  stage1: 'Answers',
  stage2: 'Rankings',
  stage3: 'Synthesis',
  synthesis: 'Synthesis',
  synthesize: 'Judgement',
  tiebreaker: 'Tiebreak',
  verdict: 'Verdict',
  verify: 'Checks',
  vote: 'Votes',
  vote_round: 'Votes',
  wave: 'Wave',
}
const PARTS_OF_STAGES = new Set(['task_start'])

function nameOf(event: Told): string {
  const base = event.type.replace(/_start$/, '')
  const data = (event.data ?? {}) as { round?: number; waveNumber?: number; mandateDisplay?: string }
  if (data.mandateDisplay) return data.mandateDisplay
  const number = data.round ?? data.waveNumber
  return [NAMES[base] ?? words(base), number].filter((part) => part != null).join(' ')
}

export function stagesOf(story: Story): Stage[] {
  const begun = story.events.filter(
    (event) =>
      event.type.endsWith('_start') &&
      !PARTS_OF_STAGES.has(event.type) &&
      (event.id > 1 || event.type === 'stage1_start'),
  )
  return begun.map((event, place) => ({
    id: event.id,
    name: nameOf(event),
    from: event.at,
    to: begun[place + 1]?.at ?? (story.ended ? story.events.at(-1)!.at : null),
  }))
}

const SHARED = /^(specialist|cross_review|section|verify|review|task|ideation|scoring|round_\d+_match)_/

/** Calls that are made side by side have one name for the whole of them. */
export function groupOf(step: string): string {
  const base = step.split('/')[0]!
  return SHARED.exec(base)?.[1] ?? base
}

/** A step in words a reader of the rail knows. */
export const stepWords = (step: string) => NAMES[groupOf(step)] ?? words(step.split('/')[0]!)

/** The calls on the floor: those of the newest group, each seat once, by its newest try. */
export function floorOf(story: Story): Call[] {
  const spoken = story.calls.filter((call) => call.step !== 'title')
  const newest = spoken.reduce<Call | null>(
    (found, call) => (!found || call.startedAt >= found.startedAt ? call : found),
    null,
  )
  if (!newest) return []
  const group = groupOf(newest.step)
  const places = new Map<string, Call>()
  const asked = new Map<string, number>()
  for (const call of spoken) {
    if (groupOf(call.step) !== group) continue
    // What one step asks one seat at the same time, as in the two orders of a match, stands side by side.
    const name = `${call.step} ${call.seat ?? call.model}`
    const place = asked.get(name) ?? 0
    asked.set(name, place + 1)
    places.set(`${call.step.split('/')[0]} ${call.seat ?? call.model} ${place}`, call)
  }
  const order = (call: Call) => Number(/_(\d+)$/.exec(call.step)?.[1] ?? 0) * 100 + (call.seat ?? 99)
  return [...places.values()].sort((a, b) => order(a) - order(b))
}

/** What was missing or replaced, if the answer is not a full one. */
export function shortfall(story: Story): string[] | null {
  // A stage may have fallen back without harm: the last word on it counts.
  const said = story.events.map(
    (event) => event.data as { degraded?: boolean; warnings?: string[] } | undefined,
  )
  const latest = said.findLast((data) => typeof data?.degraded === 'boolean')
  return latest?.degraded ? (latest.warnings ?? []) : null
}
