// Who is asking, what they hand out, and what an administrator may do.

import { json, send } from './client'
import type {
  Allotment,
  DeliveryList,
  InvitationList,
  InvitationWithLink,
  KeyList,
  KeyTest,
  KeyView,
  LimitView,
  LinkView,
  OidcLink,
  OidcWay,
  PersonList,
  ResetLink,
  RunningList,
  SessionView,
  ShareList,
  ShareView,
  SharedRun,
  TokenList,
  TokenWithSecret,
  Trial,
  WebhookList,
  WebhookSecret,
  WebhookWithSecret,
} from './wire'

export type Scope = 'read' | 'ask' | 'admin'

export type KeyPlace = 'account' | 'admin'
export interface KeyChange {
  key: string | null
  baseUrl: string | null
  kind?: 'openai' | 'anthropic'
}

const keyPath = (place: KeyPlace, name: string) => `/api/${place}/keys/${encodeURIComponent(name)}`

export type LimitChange = Partial<Record<LimitView['name'], number | null>> & {
  preset?: 'default' | 'strict'
}

const limitsPath = (person: string) => `/api/admin/people/${encodeURIComponent(person)}/limits`

/** Yours, or those of everyone on the server. */
export const keyApi = {
  list: (place: KeyPlace) => send<KeyList>(`/api/${place}/keys`),
  save: (place: KeyPlace, name: string, change: KeyChange) =>
    send<KeyView>(keyPath(place, name), json('PUT', change)),
  remove: (place: KeyPlace, name: string) => send<undefined>(keyPath(place, name), { method: 'DELETE' }),
  test: (place: KeyPlace, name: string) => send<KeyTest>(`${keyPath(place, name)}/test`, { method: 'POST' }),
}

export const accountApi = {
  limits: () => send<Allotment>('/api/limits'),
  session: () => send<SessionView>('/api/session'),
  signIn: (name: string, password: string) =>
    send<SessionView>('/api/session', json('POST', { name, password })),
  signOut: () => send<undefined>('/api/session', { method: 'DELETE' }),
  signUp: (name: string, password: string) =>
    send<SessionView>('/api/registration', json('POST', { name, password })),
  link: (token: string) => send<LinkView>(`/api/links/${token}`),
  useLink: (token: string, fields: { name?: string; password: string; keepLocal?: boolean }) =>
    send<SessionView>(`/api/links/${token}`, json('POST', fields)),
  changePassword: (password: string, newPassword: string) =>
    send<undefined>('/api/account/password', json('POST', { password, newPassword })),
  oidc: (link: boolean) => send<OidcWay>('/api/oidc/start', json('POST', { link })),
  oidcLink: () => send<OidcLink>('/api/account/oidc'),
  unlinkOidc: () => send<undefined>('/api/account/oidc', { method: 'DELETE' }),
  deleteAccount: (password: string) => send<undefined>('/api/account/deletion', json('POST', { password })),
  tokens: () => send<TokenList>('/api/account/tokens'),
  addToken: (token: { name: string; scopes: Scope[]; days: number | null }) =>
    send<TokenWithSecret>('/api/account/tokens', json('POST', token)),
  revokeToken: (id: string) => send<undefined>(`/api/account/tokens/${id}`, { method: 'DELETE' }),
  shares: (runId?: string) => send<ShareList>(`/api/shares${runId ? `?runId=${runId}` : ''}`),
  share: (runId: string, days: number | null) =>
    send<ShareView>(`/api/runs/${runId}/shares`, json('POST', { days })),
  revokeShare: (id: string) => send<undefined>(`/api/shares/${id}`, { method: 'DELETE' }),
  shared: (token: string) => send<SharedRun>(`/api/shared/${token}`),
}

export type RunEnd = 'complete' | 'degraded' | 'failed' | 'cancelled'

export const webhookApi = {
  list: () => send<WebhookList>('/api/webhooks'),
  add: (webhook: { url: string; events: RunEnd[] }) =>
    send<WebhookWithSecret>('/api/webhooks', json('POST', webhook)),
  remove: (id: string) => send<undefined>(`/api/webhooks/${id}`, { method: 'DELETE' }),
  test: (id: string) => send<Trial>(`/api/webhooks/${id}/test`, { method: 'POST' }),
  deliveries: () => send<DeliveryList>('/api/webhooks/deliveries?limit=20'),
  requestSecret: () => send<WebhookSecret>('/api/account/webhook-secret', { method: 'POST' }),
}

export const adminApi = {
  people: () => send<PersonList>('/api/admin/people'),
  change: (id: string, change: { administrator?: boolean; disabled?: boolean }) =>
    send<undefined>(`/api/admin/people/${id}`, json('PATCH', change)),
  remove: (id: string) => send<undefined>(`/api/admin/people/${id}`, { method: 'DELETE' }),
  reset: (id: string) => send<ResetLink>(`/api/admin/people/${id}/reset`, { method: 'POST' }),
  limits: (id: string) => send<Allotment>(limitsPath(id)),
  /** What is left out stays; null is no limit. The preset `default` goes back to the server's own. */
  setLimits: (id: string, change: LimitChange) => send<Allotment>(limitsPath(id), json('PATCH', change)),
  invitations: () => send<InvitationList>('/api/admin/invitations'),
  invite: (invitation: { note: string; administrator: boolean; days: number }) =>
    send<InvitationWithLink>('/api/admin/invitations', json('POST', invitation)),
  withdraw: (id: string) => send<undefined>(`/api/admin/invitations/${id}`, { method: 'DELETE' }),
  runs: () => send<RunningList>('/api/admin/runs'),
  stop: (id: string) => send<undefined>(`/api/admin/runs/${id}/stop`, { method: 'POST' }),
}
