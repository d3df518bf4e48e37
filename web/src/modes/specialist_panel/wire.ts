// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type AssessmentSections = {
  convergent: string | null
  divergent: string | null
  riskMatrix: string | null
  recommendations: string | null
  executiveSummary: string | null
}

export type CriterionRating = {
  criterion: string
  score: number | null
  notes: string
}

export type CrossReview = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  reviewText: string
  reactions: Reaction[]
  ignoredReactions: Reaction[]
  rescores: Rescore[]
  gaps: string[]
  revisedAverageScore: number | null
  responseTimeMs: number
  index: number
}

export type CrossReviewStartData = {
  totalReviewers: number
  totalFindings: number
}

export type CrossReviews = {
  ledger: LedgerEntry[]
  agreementRate: number | null
  totalSucceeded: number
  totalFailed: number
}

export type FailedSpecialist = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type IntegratedAssessment = {
  degraded: boolean
  warnings: string[]
  model: string
  integratedAssessment: string
  convergentFindingCount: number | null
  divergentFindingCount: number | null
  recommendationCount: number | null
  riskMatrix: Risk[]
  panelScore: number | null
  overallAssessment: "critical_risk" | "high_risk" | "moderate_risk" | "low_risk" | null
  topRisk: string | null
  sections: AssessmentSections
  unknownCitations: string[]
  underSupported: string[]
  parseSuccess: boolean
  specialistCount: number
  failedCount: number
  failedSpecialists: FailedSpecialist[]
  responseTimeMs: number
}

export type LedgerEntry = {
  findingId: string
  status: "convergent" | "contested" | "solo"
  supporters: number[]
  challengers: number[]
}

export type PanelStart = {
  totalSpecialists: number
}

export type PanelSummary = {
  specialists: SpecialistLine[]
  failedSpecialists: FailedSpecialist[]
  totalSucceeded: number
  totalFailed: number
}

export type Reaction = {
  findingId: string
  reaction: "SUPPORT" | "CHALLENGE" | "EXTEND"
  reason: string
}

export type Rescore = {
  criterion: string
  from: number | null
  to: number
  reason: string
}

export type Risk = {
  domain: string
  riskLevel: "Critical" | "High" | "Medium" | "Low" | null
  keyConcern: string
  recommendedAction: string
  sourceSpecialists: string
}

export type SpecialistLine = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  averageScore: number | null
  responseTimeMs: number
}

export type SpecialistReport = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  report: string
  criteriaScores: CriterionRating[]
  topRecommendations: string[]
  keyFindings: string[]
  averageScore: number | null
  parseSuccess: boolean
  parseNotes: string[]
  responseTimeMs: number
  index: number
  totalSpecialists: number
}

export interface Events {
  specialist_panel_start: {
    type: "specialist_panel_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    roles: string[]
  }
  specialist_start: {
    type: "specialist_start"
    at: number
    data: PanelStart
  }
  specialist_complete: {
    type: "specialist_complete"
    at: number
    data: SpecialistReport
  }
  all_specialists_complete: {
    type: "all_specialists_complete"
    at: number
    data: PanelSummary
  }
  cross_review_start: {
    type: "cross_review_start"
    at: number
    data: CrossReviewStartData
  }
  cross_review_complete: {
    type: "cross_review_complete"
    at: number
    data: CrossReview
  }
  all_cross_reviews_complete: {
    type: "all_cross_reviews_complete"
    at: number
    data: CrossReviews
  }
  synthesis_start: {
    type: "synthesis_start"
    at: number
  }
  synthesis_complete: {
    type: "synthesis_complete"
    at: number
    data: IntegratedAssessment
  }
}
