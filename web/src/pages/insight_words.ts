// Insight in words and figures: what its page says, apart from how it is drawn.

import type { Insight, ModelInsight } from '../api/wire'
import { dollars, plural } from '../ui/format'
import { shortModel } from '../ui/seats'

export type Measure = 'cost' | 'tokens' | 'calls'

interface Spending {
  calls: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
}

export const MEASURES: Record<
  Measure,
  { name: string; of: (spent: Spending) => number | null; format: (amount: number) => string }
> = {
  cost: { name: 'Dollars', of: (spent) => spent.cost, format: (amount) => dollars(amount) },
  tokens: {
    name: 'Tokens',
    of: (spent) => sum([spent.promptTokens, spent.completionTokens]),
    format: (amount) => compact(amount),
  },
  calls: { name: 'Calls', of: (spent) => spent.calls, format: (amount) => compact(amount) },
}

/** The sum of what is known; null if nothing is. */
export function sum(amounts: (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length ? known.reduce((before, amount) => before + amount, 0) : null
}

const BRIEF = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
export const compact = (amount: number) =>
  amount < 10_000 ? amount.toLocaleString('en') : BRIEF.format(amount)

/** Dollars where any were spent, else what there is. */
export function defaultMeasure(insight: Insight): Measure {
  if (insight.totals.cost) return 'cost'
  return MEASURES.tokens.of(insight.totals) ? 'tokens' : 'calls'
}

/** A bar: so many days from one day on. */
export interface Bin {
  from: string
  to: string
  amount: number | null
}

const DAILY = 92

/** The amounts of days one after the other; of a long period, week by week up to its last day. */
export function binsOf(days: string[], amounts: Map<string, number | null>): Bin[] {
  const width = days.length > DAILY ? 7 : 1
  const bins: Bin[] = []
  for (let end = days.length; end > 0; end -= width) {
    const group = days.slice(Math.max(0, end - width), end)
    bins.unshift({
      from: group[0]!,
      to: group.at(-1)!,
      amount: sum(group.map((day) => amounts.get(day) ?? null)),
    })
  }
  return bins
}

/** A day in words; with its year if it is not that of the other day. */
export function dayWords(day: string, other = day): string {
  const year = day.slice(0, 4) === other.slice(0, 4) ? undefined : 'numeric'
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year,
    timeZone: 'UTC',
  })
}
export const binWords = (bin: Bin) =>
  bin.from === bin.to ? dayWords(bin.from) : `${dayWords(bin.from)} to ${dayWords(bin.to)}`

/** What the bars say, for who does not see them. */
export function barWords(bins: Bin[], measure: Measure): string {
  const { format } = MEASURES[measure]
  const used = bins.filter((bin) => bin.amount)
  if (!used.length) return 'nothing'
  const most = used.reduce((before, bin) => (bin.amount! > before.amount! ? bin : before))
  const whole = sum(used.map((bin) => bin.amount))!
  return `${format(whole)}, most of it ${binWords(most)} (${format(most.amount!)})`
}

export function periodWords(days: number): string {
  return days === 1
    ? 'Today'
    : days === 7
      ? 'In the last week'
      : days === 365
        ? 'In the last year'
        : `In the last ${days} days`
}

/** The sentence the page opens with. */
export function spendingWords(insight: Insight): string {
  const { totals, byModel } = insight
  const calls = `${compact(totals.calls)} ${totals.calls === 1 ? 'call' : 'calls'} to ${plural(byModel.length, 'model')}`
  if (totals.cost === null) return `${calls}, at an unknown price.`
  if (totals.cost === 0) return `${calls}, which cost nothing.`
  const [dearest] = byModel
  const most =
    dearest?.cost && byModel.length > 1
      ? `, ${dollars(dearest.cost)} of it for ${shortModel(dearest.model)}`
      : ''
  return `${calls}, which cost ${dollars(totals.cost)}${most}.`
}

/** What became of the deliberations, and what the sum leaves out. */
export function notesOf(insight: Insight): string[] {
  const { totals, byModel } = insight
  const group = totals.deliberations
  const notes: string[] = []
  const missing = [
    group.degraded && `${group.degraded} incomplete`,
    group.failed && `${group.failed} failed`,
    group.cancelled && `${group.cancelled} stopped`,
    group.running && `${group.running} still running`,
  ].filter((part) => part !== 0)
  if (missing.length) notes.push(`${group.complete} complete, ${missing.join(', ')}.`)
  if (totals.cost && totals.unpriced)
    notes.push(
      `${plural(totals.unpriced, 'call')} had no known price and ${totals.unpriced === 1 ? 'is' : 'are'} not included.`,
    )
  const simulated = byModel
    .filter((model) => model.simulated)
    .reduce((calls, model) => calls + model.calls, 0)
  if (simulated && simulated === totals.calls)
    notes.push('All models were simulated: no language model answered.')
  else if (simulated) notes.push(`${plural(simulated, 'call')} went to simulated models.`)
  return notes
}

const KINDS: Record<string, string> = {
  auth: 'key refused',
  budget: 'budget spent',
  cancelled: 'stopped',
  credit: 'no credit',
  empty: 'empty reply',
  network: 'network',
  not_found: 'not found',
  other: 'other',
  rate_limited: 'rate limited',
  refused: 'refused',
  timeout: 'too slow',
  too_long: 'prompt too long',
  unreadable: 'unreadable',
}

/** In which ways a model failed; how often in each, if there is more than one. */
export function failureWords(model: ModelInsight): string {
  const failures = Object.entries(model.failures)
  return failures
    .map(([kind, count]) => `${failures.length > 1 ? `${count} ` : ''}${KINDS[kind] ?? kind}`)
    .join(', ')
}
