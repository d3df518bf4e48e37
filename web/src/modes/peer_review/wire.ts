// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type ActionItem = {
  issue: number
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  title: string
  action: string | null
  effort: "High" | "Medium" | "Low" | null
  verifyFirst: boolean
}

export type ConsensusScore = {
  criterion: string
  average: number | null
  stddev: number | null
  range: number | null
  agreement: "High" | "Medium" | "Low" | null
  scoreCount: number
}

export type ConsolidationData = {
  degraded: boolean
  warnings: string[]
  model: string | null
  consolidatedReport: string
  executiveSummary: string | null
  consolidationMode: "model" | "computed"
  consolidatorText: string | null
  reviewerCount: number
  failedReviewers: FailedReviewer[]
  consensusScores: ConsensusScore[]
  weightedOverallAvg: number | null
  weightedOverallStddev: number | null
  overallAgreement: "High" | "Medium" | "Low" | null
  totalFindings: number
  issues: ReviewIssue[]
  actionItems: ActionItem[]
  disputes: Dispute[]
  consensusFindingCount: number
  uniqueFindingCount: number
  disputedAssessmentCount: number
  actionItemCount: number
  criticalFindingCount: number
  majorFindingCount: number
  interReviewerAgreement: InterReviewerAgreement
  responseTimeMs: number | null
}

export type Dispute = {
  topic: string
  positionA: string | null
  positionB: string | null
  evidence: string | null
}

export type FailedReviewer = {
  reviewerIndex: number
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type InterReviewerAgreement = {
  averageScoreStddev: number | null
  findingsOverlapRate: number | null
  severityAgreementRate: number | null
  krippendorffAlpha: number | null
  unanimous: boolean
}

export type Review = {
  seat: number
  reviewerIndex: number
  model: string
  reviewText: string
  scores: ReviewScore[]
  overallScore: number | null
  findingCounts: Record<string, number>
  findings: ReviewFinding[]
  strengths: string[]
  nothingFound?: boolean
  parseSuccess: boolean
  responseTimeMs: number
  totalReviewers: number
}

export type ReviewFinding = {
  id: string
  number: number
  title: string
  category: string
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  severityInferred: boolean
  location: string | null
  quote: string | null
  grounded: boolean | null
  description: string | null
  impact: string | null
  recommendation: string | null
}

export type ReviewIssue = {
  number: number
  title: string
  findingIds: string[]
  reviewers: string[]
  consensus: boolean
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  severityDisputed: boolean
  weight: number
  description: string | null
  action: string | null
  effort: "High" | "Medium" | "Low" | null
  credibility: "sound" | "doubtful" | null
  credibilityNote: string | null
}

export type ReviewLine = {
  seat: number
  reviewerIndex: number
  model: string
  overallScore: number | null
  findingCounts: Record<string, number>
  responseTimeMs: number
}

export type ReviewRound = {
  reviews: ReviewLine[]
  failedReviewers: FailedReviewer[]
  totalSucceeded: number
  totalFailed: number
  averageOverallScore: number | null
}

export type ReviewScore = {
  criterion: string
  score: number | null
  weight: number
  justification: string | null
}

export type ReviewersStartData = {
  totalReviewers: number
}

export interface Events {
  peer_review_start: {
    type: "peer_review_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    reviewType: "architecture_review" | "code_review" | "design_spec_review" | "compliance_audit" | "business_plan_review" | "custom"
  }
  reviewers_start: {
    type: "reviewers_start"
    at: number
    data: ReviewersStartData
  }
  reviewer_complete: {
    type: "reviewer_complete"
    at: number
    data: Review
  }
  all_reviewers_complete: {
    type: "all_reviewers_complete"
    at: number
    data: ReviewRound
  }
  consolidation_start: {
    type: "consolidation_start"
    at: number
  }
  consolidation_complete: {
    type: "consolidation_complete"
    at: number
    data: ConsolidationData
  }
}
