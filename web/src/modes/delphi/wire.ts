// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type Classification = {
  type: "numeric" | "qualitative"
  options: string[] | null
  scale: "RATIO" | "MAGNITUDE" | "BOUNDED" | "DATE" | null
  unit: string | null
  bounds: unknown[] | null
  reasoning: string | null
  source: "facilitator" | "request" | "fallback"
  model: string | null
  rawText: string
  responseTimeMs: number | null
}

export type Codebook = {
  options: string[]
  assignment: CodebookEntry[]
  model: string | null
  rawText: string
}

export type CodebookEntry = {
  participantIndex: number
  option: string
}

export type ConfidenceCounts = {
  low: number
  medium: number
  high: number
}

export type ConvergenceData = {
  round: number
  stats: NumericStats | QualitativeStats | null
}

export type DelphiRound = {
  round: number
  estimates: Estimate[]
  failed: Departure[]
  codebook?: Codebook
  stats: NumericStats | QualitativeStats | null
  converged: boolean
}

export type DelphiRoundStart = {
  round: number
}

export type DelphiSynthesis = {
  degraded: boolean
  warnings: string[]
  facilitatorModel: string | null
  report: string
  resultLine: string
  totalRounds: number
  converged: boolean
  convergenceRound: number | null
  stopReason: "converged" | "stable" | "max_rounds" | "attrition" | "deadline"
  finalValue: number | string
  interval?: unknown[]
  ci95?: unknown[]
  participants: Participant[]
  responseTimeMs: number
}

export type Departure = {
  participantIndex: number
  model: null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
  parseFailed?: boolean
  rawText: string
}

export type Estimate = {
  participantIndex: number
  estimate?: number
  answer?: string
  confidence: "LOW" | "MEDIUM" | "HIGH"
  confidenceParsed: boolean
  changed: boolean
  carriedForward: boolean
  previousEstimate?: number
  previousAnswer?: string
  reasoning: string | null
  rangeGiven?: boolean
  parseFailed?: boolean
  error?: string
  rawText: string
  responseTimeMs: number | null
}

export type LastRoundData = {
  round: number
  stats: NumericStats | QualitativeStats | null
  reason: "converged" | "stable" | "max_rounds" | "attrition" | "deadline"
}

export type NumericStats = {
  mean: number
  median: number
  stdDev: number
  min: number
  max: number
  q1: number
  q3: number
  cv: number | null
  dispersionKind: "RATIO" | "MAGNITUDE" | "BOUNDED" | "DATE"
  outliers: number[]
  highVariance: boolean
  confidenceCounts: ConfidenceCounts
  changedCount: number
  towardMedianCount: number
  freshCount: number
}

export type Participant = {
  participantIndex: number
  model: string
}

export type QualitativeStats = {
  distribution: Share[]
  agreementPercentage: number
  mode: string
  modeTied: boolean
  entropy: number
  confidenceCounts: ConfidenceCounts
  changedCount: number
  freshCount: number
}

export type Share = {
  answer: string
  count: number
  percentage: number
}

export interface Events {
  delphi_start: {
    type: "delphi_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    questionType: "numeric" | "qualitative" | null
  }
  classify_start: {
    type: "classify_start"
    at: number
  }
  classify_complete: {
    type: "classify_complete"
    at: number
    data: Classification
  }
  round_start: {
    type: "round_start"
    at: number
    data: DelphiRoundStart
  }
  round_complete: {
    type: "round_complete"
    at: number
    data: DelphiRound
  }
  convergence_reached: {
    type: "convergence_reached"
    at: number
    data: ConvergenceData
  }
  max_rounds_reached: {
    type: "max_rounds_reached"
    at: number
    data: LastRoundData
  }
  synthesis_start: {
    type: "synthesis_start"
    at: number
  }
  synthesis_complete: {
    type: "synthesis_complete"
    at: number
    data: DelphiSynthesis
  }
}
