// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type Allotment = {
  person: string
  limits: LimitView[]
  own: Record<string, number | null>
}

export type Answer = {
  seat?: number
  model: string
  response: string
  responseTimeMs: number
}

export type CallCompleteData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  responseTimeMs: number
  usage: Usage
  cost: number | null
}

export type CallFailure = {
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type CallStartData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  attempt: number
}

export type CallView = {
  step: string
  seat: number | null
  model: string | null
  startedMs: number
  responseTimeMs: number
  firstTokenMs: number | null
  attempts: number
  usage: Usage
  cost: number | null
  finishReason: string | null
  failure: CallFailure | null
  inherited: boolean
  text?: string | null
}

export type ConversationPage = {
  conversations: ConversationSummary[]
  nextCursor: string | null
}

export type ConversationSummary = {
  id: string
  title: string
  mode: string
  createdAt: string
  updatedAt: string
  runId: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  simulated: boolean
}

export type ConversationView = {
  id: string
  title: string
  mode: string
  createdAt: string
  updatedAt: string
  messages: MessageView[]
}

export type DayInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  day: string
  deliberations: Deliberations
}

export type Deliberations = {
  total: number
  running: number
  complete: number
  degraded: number
  failed: number
  cancelled: number
}

export type Delivery = {
  id: string
  webhookId: string | null
  runId: string
  url: string
  status: string
  attempts: number
  reason: string | null
  nextAttemptAt: string | null
  createdAt: string
}

export type DeliveryList = {
  deliveries: Delivery[]
}

export type Detail = {
  path: string
  message: string
}

export type FailedModel = {
  index: number
  seat: number
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type Failure = {
  step: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type Insight = {
  firstDay: string
  lastDay: string
  timezone: string
  fewestCases: number
  totals: InsightTotals
  byDay: DayInsight[]
  byMode: ModeInsight[]
  byModel: ModelInsight[]
}

export type InsightTotals = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  deliberations: Deliberations
}

export type Invitation = {
  id: string
  administrator: boolean
  note: string
  createdAt: string
  expiresAt: string
}

export type InvitationList = {
  invitations: Invitation[]
}

export type InvitationWithLink = {
  id: string
  administrator: boolean
  note: string
  createdAt: string
  expiresAt: string
  path: string
}

export type KeyList = {
  keys: KeyView[]
}

export type KeyTest = {
  problem: string | null
  models?: number | null
}

export type KeyView = {
  name: string
  title: string
  kind: "openai" | "anthropic"
  source: "environment" | "file" | "person" | "server" | null
  baseUrl: string | null
  hasKey: boolean
  hint: string | null
  inUse: boolean
  note: string | null
  problem: string | null
  updatedAt: string | null
}

export type LimitView = {
  name: "requestsPerMinute" | "requestsPerHour" | "requestsPerDay" | "runsAtOnce" | "dollarsPerDay" | "dollarsPerMonth"
  limit: number | null
  used: number
  left: number | null
  resetsAt: string | null
}

export type LinkView = {
  kind: "setup" | "invitation" | "reset"
  administrator: boolean
  name: string | null
  localRuns: number
  expiresAt: string
}

export type MessageView = {
  id: string
  role: "user" | "assistant"
  content: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  error: string | null
  createdAt: string
  runId?: string | null
  simulated?: boolean | null
  warnings?: string[] | null
  result?: Record<string, unknown> | null
  events?: number | null
}

export type MissingKey = {
  provider: string
  variable: string
  models: string[]
}

export type ModeInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  mode: string
  deliberations: Deliberations
  took: Times
  stages: StageInsight[]
  wins: string | null
  agrees: string | null
}

export type ModeList = {
  modes: ModeView[]
  defaultMode: string
}

export type ModeView = {
  id: string
  name: string
  family: "evaluation" | "adversarial" | "sequential" | "role_based" | "algorithmic" | "creative" | "verification"
  description: string
  goodFor: string
  minModels: number
  maxModels: number
  requiresSpecialRole: boolean
  supportsMultiTurn: boolean
  estimatedDurationMs: number
  available: boolean
  maxQuestionChars?: number | null
  configSchema?: Record<string, unknown> | null
  events?: string[] | null
}

export type ModelDay = {
  day: string
  calls: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
}

export type ModelInfo = {
  id: string
  provider: string
  name?: string | null
  contextLength?: number | null
  promptPrice?: number | null
  completionPrice?: number | null
  requestPrice?: number | null
  parameterCount?: number | null
}

export type ModelInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  model: string
  simulated: boolean
  deliberations: number
  failures: Record<string, number>
  failure: Rate
  wins: WinRate
  agreement: Rate
  response: Times
  firstToken: Times
  byDay: ModelDay[]
}

export type Models = {
  models: ModelInfo[]
  unavailable?: Unavailable[]
  panel: string[]
}

export type OidcLink = {
  linked: boolean
}

export type OidcWay = {
  url: string
}

export type Person = {
  id: string
  name: string
  administrator: boolean
}

export type PersonEntry = {
  id: string
  name: string
  account: boolean
  administrator: boolean
  disabled: boolean
  createdAt: string | null
  spend: PersonSpend
}

export type PersonList = {
  people: PersonEntry[]
}

export type PersonSpend = {
  days: number
  runs: number
  dollars: number
}

export type Preset = {
  id: string
  name: string
  mode: string
  config: Record<string, unknown>
  shared: boolean
  own: boolean
  owner: string
  isDefault: boolean
  problem: string | null
  missingKeys: MissingKey[]
  createdAt: string
  updatedAt: string
}

export type PresetList = {
  presets: Preset[]
}

export type Problem = {
  error: string
  details: Detail[]
  limit?: string | null
}

export type Rate = {
  count: number
  cases: number
  rate: number | null
}

export type ResetLink = {
  path: string
  expiresAt: string
}

export type RunEstimate = {
  mode: string
  config: Record<string, unknown>
  models: string[]
  calls: number
  promptTokens: number
  completionTokens: number
  replyTokens: number
  cost: number | null
  unpriced: string[]
  reason: string | null
  missingKeys: MissingKey[]
  simulated: boolean
  durationMs: number
  longestMs: number | null
  steps: StepEstimate[]
  shortContexts?: string[] | null
}

export type RunEstimates = {
  estimates: Record<string, RunEstimate>
}

export type RunView = {
  runId: string
  conversationId: string
  messageId: string
  mode: string
  question: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  error: string | null
  retryOf?: string | null
  startedAt: string
  finishedAt: string | null
  userMessageId: string
  config: Record<string, unknown>
  activeMs: number
  simulated: boolean
  warnings: string[]
  answer: string | null
  jsonAnswer?: unknown | null
  result: Record<string, unknown>
  events: number
  calls: CallView[]
  totals: Totals
}

export type RunningEntry = {
  id: string
  userId: string
  name: string
  mode: string
  startedAt: string
  calls: number
  dollars: number
}

export type RunningList = {
  runs: RunningEntry[]
}

export type Scaffold = {
  id: string
  name: string
  whenToUse: string
  steps: string[]
  checks?: string[]
  exampleQuestions?: string[]
  domain?: string
  own?: boolean
}

export type SchemaData = {
  model: string | null
  answer: string
}

export type SecondOpinion = {
  firstModel: string
  model: string
  agrees: boolean | null
}

export type SessionView = {
  person: Person | null
  via: "local" | "proxy" | "session" | "token" | null
  accounts: boolean
  registration: "invitation" | "open"
  retentionDays: number | null
  oidc: string | null
}

export type ShareList = {
  shares: ShareView[]
}

export type ShareView = {
  id: string
  runId: string
  question: string
  path: string
  createdAt: string
  expiresAt: string | null
}

export type SharedRun = {
  mode: string
  question: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  startedAt: string
}

export type StageInsight = {
  cases: number
  medianMs: number | null
  p90Ms: number | null
  stage: string
}

export type StepEstimate = {
  step: string
  models: string[]
  calls: number
  promptTokens: number
  completionTokens: number
}

export type TemplateList = {
  templates: Scaffold[]
}

export type Times = {
  cases: number
  medianMs: number | null
  p90Ms: number | null
}

export type TitleData = {
  title: string
}

export type Token = {
  id: string
  name: string
  scopes: string[]
  createdAt: string
  expiresAt: string | null
  usedAt: string | null
}

export type TokenData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  text: string
}

export type TokenList = {
  tokens: Token[]
}

export type TokenWithSecret = {
  id: string
  name: string
  scopes: string[]
  createdAt: string
  expiresAt: string | null
  usedAt: string | null
  token: string
}

export type Totals = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  reasoningTokens: number | null
  cost: number | null
  unpriced: number
}

export type TracePage = {
  traces: TraceSummary[]
  nextCursor: string | null
}

export type TraceStats = {
  total: number
  avgQuality: number | null
  eligible: number
}

export type TraceSummary = {
  id: string
  timestamp: string
  query: string
  final_answer: string
  templates_used: string[]
  total_rounds: number
  early_stopped: boolean
  stop_reason: string
  quality_score: number | null
  user_rating: number | null
  rating_note: string | null
  auto_score: number | null
  score_error: string | null
  models: Record<string, string>
  eligible: boolean
  reasons: string[]
}

export type Trial = {
  delivered: boolean
  reason: string | null
}

export type Unavailable = {
  provider: string
  reason: string
}

export type Usage = {
  promptTokens: number | null
  completionTokens: number | null
  reasoningTokens: number | null
}

export type VoteResponse = {
  seat: number
  model: string
  voteText: string
  votedFor: string | null
  responseTimeMs: number
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type WarningData = {
  message: string
  code: string
  step: string | null
}

export type Webhook = {
  id: string
  url: string
  events: string[]
  createdAt: string
}

export type WebhookList = {
  webhooks: Webhook[]
}

export type WebhookSecret = {
  secret: string
}

export type WebhookWithSecret = {
  id: string
  url: string
  events: string[]
  createdAt: string
  secret: string
}

export type WinRate = {
  count: number
  cases: number
  rate: number | null
  evenOdds: number | null
}

export interface SharedEvents {
  model_failed: {
    type: "model_failed"
    at: number
    data: Failure
  }
  warning: {
    type: "warning"
    at: number
    data: WarningData
  }
  schema_complete: {
    type: "schema_complete"
    at: number
    data: SchemaData
  }
  title_complete: {
    type: "title_complete"
    at: number
    data: TitleData
  }
  complete: {
    type: "complete"
    at: number
  }
  error: {
    type: "error"
    at: number
    message: string
  }
}

export interface LiveEvents {
  call_start: {
    type: "call_start"
    at: number
    data: CallStartData
  }
  token: {
    type: "token"
    at: number
    data: TokenData
  }
  call_complete: {
    type: "call_complete"
    at: number
    data: CallCompleteData
  }
}
