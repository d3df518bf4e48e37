// Traces of dialectics and the templates they begin from, as the API keeps them.

import { ApiError, apiError, json, send } from './client'
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

const trace = (id: string) => `/api/traces/${encodeURIComponent(id)}`
const template = (id: string) => `/api/templates/${encodeURIComponent(id)}`

export const shelf = {
  trace: (id: string) => send<TraceState>(trace(id)),
  traces: (query: Record<string, string>) => send<TracePage>(`/api/traces?${new URLSearchParams(query)}`),
  stats: () => send<TraceStats>('/api/traces/stats'),
  rate: (id: string, rating: number, note: string) =>
    send<TraceSummary>(`${trace(id)}/rate`, json('POST', { rating, note: note.trim() || null })),
  unrate: (id: string) => send<TraceSummary>(`${trace(id)}/rate`, { method: 'DELETE' }),
  score: (id: string) => send<TraceSummary>(`${trace(id)}/score`, { method: 'POST' }),
  templates: () => send<TemplateList>('/api/templates'),
  add: (text: TemplateText) => send<Scaffold>('/api/templates', json('POST', text)),
  change: (id: string, text: TemplateText) => send<Scaffold>(template(id), json('PUT', text)),
  remove: (id: string) => send<undefined>(template(id), { method: 'DELETE' }),
}

export async function exportTraces(wish: {
  format: string
  filters: Record<string, unknown>
}): Promise<Blob> {
  const response = await fetch('/api/traces/export', json('POST', wish)).catch(() => null)
  if (!response) throw new ApiError(0, 'The server cannot be reached. Is moot running?')
  if (!response.ok) throw await apiError(response)
  return response.blob()
}

const REASONS: Record<string, string> = {
  low_quality: 'its quality is below 8',
  too_few_rounds: 'it had fewer than two rounds',
  too_short: 'its answer is very short',
  had_error: 'something failed in it',
}
export const reasonWords = (reasons: readonly string[]) =>
  reasons.map((one) => REASONS[one] ?? one.replaceAll('_', ' ')).join(', ')
