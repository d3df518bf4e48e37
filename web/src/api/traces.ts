// Traces of dialectics and the templates they begin from, as the API keeps them.

import { json, request, send } from './client'
import type { Scaffold, TemplateList, TracePage, TraceStats, TraceSummary } from './wire'

/** Of a whole trace, what the page does not have from the run's own events. */
export interface TraceState {
  quality_score: number | null
  user_rating: number | null
  auto_score: number | null
  ext: { rating_note: string | null }
}

export type TemplateText = Pick<Scaffold, 'name' | 'whenToUse'> & {
  steps: string[]
  checks: string[]
  exampleQuestions: string[]
}

const traceUrl = (id: string) => `/api/traces/${encodeURIComponent(id)}`
const templateUrl = (id: string) => `/api/templates/${encodeURIComponent(id)}`

export const traceApi = {
  get: (id: string) => send<TraceState>(traceUrl(id)),
  list: (query: Record<string, string>) => send<TracePage>(`/api/traces?${new URLSearchParams(query)}`),
  stats: () => send<TraceStats>('/api/traces/stats'),
  rate: (id: string, rating: number, note: string) =>
    send<TraceSummary>(`${traceUrl(id)}/rate`, json('POST', { rating, note: note.trim() || null })),
  unrate: (id: string) => send<TraceSummary>(`${traceUrl(id)}/rate`, { method: 'DELETE' }),
  export: exportTraces,
}

export const templateApi = {
  list: () => send<TemplateList>('/api/templates'),
  add: (text: TemplateText) => send<Scaffold>('/api/templates', json('POST', text)),
  change: (id: string, text: TemplateText) => send<Scaffold>(templateUrl(id), json('PUT', text)),
  remove: (id: string) => send<undefined>(templateUrl(id), { method: 'DELETE' }),
}

async function exportTraces(choice: { format: string; filters: Record<string, unknown> }): Promise<Blob> {
  const response = await request('/api/traces/export', json('POST', choice))
  return response.blob()
}

const REASONS: Record<string, string> = {
  low_quality: 'its quality is below 8',
  too_few_rounds: 'it had fewer than two rounds',
  too_short: 'its answer is very short',
  had_error: 'something failed in it',
}
const ENDS: Record<string, string> = {
  ready_signal: 'the skeptic was satisfied',
  no_critical_issues: 'nothing critical was left',
  max_rounds: 'the rounds were used up',
  time_budget: 'the time was used up',
  token_budget: 'the tokens were used up',
  proposer_failed: 'the proposer failed',
  skeptic_failed: 'the skeptic failed',
  cancelled: 'it was stopped',
}
/** Why the rounds of a dialectic came to their end. */
export const endWords = (reason: string) => ENDS[reason] ?? reason.replaceAll('_', ' ')

export const reasonWords = (reasons: readonly string[]) =>
  reasons.map((one) => REASONS[one] ?? one.replaceAll('_', ' ')).join(', ')
