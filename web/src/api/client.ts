// The API's answers, typed by its own schemas.

import { isGatewayError, reportLoss } from './connection'
import type {
  ConversationPage,
  ConversationSummary,
  ConversationView,
  Insight,
  ModeList,
  Models,
  Preset,
  PresetList,
  Problem,
  RunEstimate,
  RunEstimates,
  RunView,
} from './wire'

/** What the server would not do, in its own words. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: Problem['details'] = [],
  ) {
    super(message)
  }
}

/** What an error says; everything this page throws says something. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** When a limit ends. */
export function askAgain(seconds: number): string {
  if (!(seconds > 0)) return ''
  if (seconds < 90) return ` You can ask again in ${Math.ceil(seconds)} s.`
  const moment = new Date(Date.now() + seconds * 1000)
  const day = seconds < 12 * 3600 ? {} : ({ day: 'numeric', month: 'short' } as const)
  const words = moment.toLocaleString('en-GB', { ...day, hour: '2-digit', minute: '2-digit' })
  return ` You can ask again at ${words}.`
}

async function apiError(response: Response): Promise<ApiError> {
  try {
    const problem = (await response.json()) as Problem
    const again = problem.limit ? askAgain(Number(response.headers.get('Retry-After'))) : ''
    return new ApiError(response.status, `${problem.error}${again}`, problem.details)
  } catch {
    return new ApiError(response.status, `The server replied with error ${response.status}.`)
  }
}

/** Problems while loading. That the server does not respond is said once, at the top of the page. */
export const loadErrorOf = (error: unknown): string =>
  error instanceof ApiError && error.status === 0 ? '' : messageOf(error)

/** What the window hears when the server no longer knows who is asking. */
export const SIGNED_OUT = 'moot:signed-out'

/** The response, if it is a good one. Every request of the page goes through here. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch(() => null)
  if (!response || isGatewayError(response)) {
    reportLoss()
    throw new ApiError(0, 'The server isn’t responding. Try again in a moment.')
  }
  if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT))
  if (!response.ok) throw await apiError(response)
  return response
}

export async function send<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await request(path, init)
  return (response.status === 204 ? undefined : await response.json()) as T
}

export const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

export const api = {
  modes: () => send<ModeList>('/api/modes'),
  models: () => send<Models>('/api/models'),
  estimate: (request: { question: string; mode: string; modeConfig: unknown }) =>
    send<RunEstimate>('/api/estimate', json('POST', request)),
  estimates: () => send<RunEstimates>('/api/estimates'),
  presets: () => send<PresetList>('/api/presets'),
  addPreset: (preset: { name: string; mode: string; config: unknown; shared: boolean }) =>
    send<Preset>('/api/presets', json('POST', preset)),
  changePreset: (id: string, change: { config?: unknown; shared?: boolean; name?: string }) =>
    send<Preset>(`/api/presets/${id}`, json('PATCH', change)),
  removePreset: (id: string) => send<undefined>(`/api/presets/${id}`, { method: 'DELETE' }),
  setDefaultPreset: (id: string, on: boolean) =>
    send<Preset>(`/api/presets/${id}/default`, { method: on ? 'PUT' : 'DELETE' }),
  conversations: (query: Record<string, string>) =>
    send<ConversationPage>(`/api/conversations?${new URLSearchParams(query)}`),
  conversation: (id: string) => send<ConversationView>(`/api/conversations/${encodeURIComponent(id)}`),
  renameConversation: (id: string, title: string) =>
    send<ConversationSummary>(`/api/conversations/${id}`, json('PATCH', { title })),
  removeConversation: (id: string) =>
    send<undefined>(`/api/conversations/${id}`, { method: 'DELETE', keepalive: true }),
  insight: (query: Record<string, string>) => send<Insight>(`/api/insight?${new URLSearchParams(query)}`),
  run: (id: string) => send<RunView>(`/api/runs/${encodeURIComponent(id)}`),
  cancel: (id: string) => send<unknown>(`/api/runs/${id}/cancel`, { method: 'POST' }),
}
