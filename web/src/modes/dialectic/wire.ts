// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type Criteria = {
  correctness: number | null
  completeness: number | null
  clarity: number | null
  depth: number | null
}

export type CritiqueIssue = {
  id: string
  severity: "critical" | "major" | "minor"
  title: string
  where: string | null
  body: string
}

export type DialecticSynthesis = {
  degraded: boolean
  warnings: string[]
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  answer: string
  confidence: number | null
  changes: string[]
  caveats: string[]
  model: string
  content: string
  fallback: boolean
}

export type EarlyStopData = {
  round: number
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
}

export type FoundTemplate = {
  id: string
  name: string
  similarity: number
  rank: number
}

export type Metadata = {
  model: string
  role: string
}

export type Objection = {
  id: string
  severity: "critical" | "major" | "minor"
  title: string
  firstRound: number
  status: "raised" | "partial" | "unresolved" | "resolved"
  history: RoundStatus[]
}

export type OpenIssues = {
  critical: number
  major: number
  minor: number
}

export type ProposerData = {
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  answer: string
  replies: Reply[]
  unanswered: string[]
  confidence: number | null
  scaffoldId: string | null
  parseSuccess: boolean
  round: number
  model: string
  content: string
  truncated: boolean
}

export type RagData = {
  topK: number
  minSimilarity: number
  embeddingModel: string
  templates: FoundTemplate[]
  fallback: boolean
  degraded: boolean
  ragMs: number
}

export type RagQuery = {
  topK: number
  minSimilarity: number
  embeddingModel: string
  query: string
}

export type Reply = {
  id: string
  decision: "ACCEPT" | "DEFEND"
  note: string
}

export type RoundDecision = {
  round: number
  decision: "continue" | "stop"
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed" | null
  score: number | null
  openIssues: OpenIssues
}

export type RoundStartData = {
  round: number
  maxRounds: number
}

export type RoundStatus = {
  round: number
  status: "raised" | "partial" | "unresolved" | "resolved"
}

export type ScoreData = {
  degraded: boolean
  warnings: string[]
  autoScore: number | null
  criteria: Criteria
  statedScore: number | null
  justification: string | null
  wouldBenefitFromFinetune: boolean | null
  scoreInconsistent: boolean
  scoreError: string | null
  judgeModel: string
  eligible: boolean
  reasons: string[]
  responseTimeMs: number | null
  rawText: string
  traceId: string | null
}

export type SkepticData = {
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  issues: CritiqueIssue[]
  statuses: Status[]
  score: number | null
  ready: boolean
  hasCritical: boolean
  contradictorySignal: boolean
  round: number
  model: string
  content: string
  truncated: boolean
}

export type Status = {
  id: string
  status: "resolved" | "partial" | "unresolved"
  note: string
  unknownId?: boolean
}

export type Termination = {
  metadata: Metadata
  totalRounds: number
  earlyStopped: boolean
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
  ledger: Objection[]
}

export type TraceData = {
  degraded: boolean
  warnings: string[]
  traceId: string
  totalRounds: number
  earlyStopped: boolean
  stopReason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
  templatesUsed: string[]
  models: TraceModels
  timing: TraceTiming
  tokens: TraceTokens
  costUsd: number | null
  sameModel: boolean
}

export type TraceModels = {
  proposer: string
  skeptic: string
  synthesizer: string
  embedding: string
  judge: string
}

export type TraceTiming = {
  totalMs: number
  ragMs: number
  roundsMs: number[]
  synthesisMs: number
}

export type TraceTokens = {
  prompt: number | null
  completion: number | null
}

export interface Events {
  dialectic_start: {
    type: "dialectic_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
  }
  rag_start: {
    type: "rag_start"
    at: number
    data: RagQuery
  }
  rag_complete: {
    type: "rag_complete"
    at: number
    data: RagData
  }
  round_start: {
    type: "round_start"
    at: number
    data: RoundStartData
  }
  proposer_complete: {
    type: "proposer_complete"
    at: number
    data: ProposerData
  }
  skeptic_complete: {
    type: "skeptic_complete"
    at: number
    data: SkepticData
  }
  round_complete: {
    type: "round_complete"
    at: number
    data: RoundDecision
  }
  early_stop: {
    type: "early_stop"
    at: number
    data: EarlyStopData
  }
  synthesis_start: {
    type: "synthesis_start"
    at: number
    data: Termination
  }
  synthesis_complete: {
    type: "synthesis_complete"
    at: number
    data: DialecticSynthesis
  }
  trace_saved: {
    type: "trace_saved"
    at: number
    data: TraceData
  }
  score_complete: {
    type: "score_complete"
    at: number
    data: ScoreData
  }
}
