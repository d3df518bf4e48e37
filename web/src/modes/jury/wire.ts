// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type DimensionAnalysis = {
  dimension: "accuracy" | "completeness" | "clarity" | "relevance" | "actionability"
  avgScore: number | null
  minScore: number | null
  maxScore: number | null
  consensus: "Strong agreement" | "Mixed" | "Disagreement" | "Insufficient data"
}

export type Dissent = {
  seat: number | null
  verdict: "APPROVE" | "REVISE" | "REJECT" | null
  text: string
}

export type FailedJuror = {
  seat: number
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type JurorAssessment = {
  seat: number
  model: string
  assessmentText: string
  scores: Record<string, number | null>
  average: number | null
  verdict: "APPROVE" | "REVISE" | "REJECT" | null
  verdictSource: "stated" | "derived" | null
  verdictMismatch: boolean
  strengths: string[]
  weaknesses: string[]
  recommendations: string[]
  responseTimeMs: number
  parseSuccess: boolean
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type JurorCount = {
  totalJurors: number
}

export type JurorSummary = {
  jurorCount: number
  successfulJurors: number
  failedJurors: FailedJuror[]
  majorityVerdict: "APPROVE" | "REVISE" | "REJECT" | null
  verdictSource: "majority" | "tie_rule" | "foreman" | "default" | null
  voteTally: VoteTally
  dimensionAverages: Record<string, number | null>
  dimensionRanges: Record<string, Range | null>
  dimensionStdDevs: Record<string, number | null>
  overallAverage: number | null
  verdictAgreement: number | null
  leniency: Leniency[]
}

export type JuryVerdict = {
  degraded: boolean
  warnings: string[]
  model: string | null
  reportText: string
  finalVerdict: "APPROVE" | "REVISE" | "REJECT"
  verdictSource: "majority" | "tie_rule" | "foreman" | "default"
  foremanVerdict: "APPROVE" | "REVISE" | "REJECT" | null
  foremanDiffers: boolean
  dimensionAnalysis: DimensionAnalysis[]
  summary: string | null
  keyStrengths: Point[]
  keyWeaknesses: Point[]
  minorityPoints: MinorityPoint[]
  recommendations: string[]
  dissentingOpinions: Dissent[]
  responseTimeMs: number | null
  parseSuccess: boolean
  rawText: string | null
  foremanParsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type Leniency = {
  seat: number
  value: number | null
}

export type MinorityPoint = {
  text: string
  jurors: number[]
  kind: "strength" | "weakness"
}

export type Point = {
  text: string
  jurors: number[]
}

export type Presentation = {
  content: string
  originalQuestion?: string
  reviewBrief?: string
  wordCount: number
}

export type Range = {
  min: number
  max: number
}

export type VoteTally = {
  approve: number
  revise: number
  reject: number
}

export interface Events {
  jury_start: {
    type: "jury_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
  }
  present_start: {
    type: "present_start"
    at: number
  }
  present_complete: {
    type: "present_complete"
    at: number
    data: Presentation
  }
  deliberation_start: {
    type: "deliberation_start"
    at: number
    data: JurorCount
  }
  juror_complete: {
    type: "juror_complete"
    at: number
    data: JurorAssessment
  }
  all_jurors_complete: {
    type: "all_jurors_complete"
    at: number
    data: JurorSummary
  }
  verdict_start: {
    type: "verdict_start"
    at: number
  }
  verdict_complete: {
    type: "verdict_complete"
    at: number
    data: JuryVerdict
  }
}
