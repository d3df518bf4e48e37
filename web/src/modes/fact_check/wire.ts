// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { FailedModel, SecondOpinion } from '../../api/wire'

export type CheckerCount = {
  verified: number
  disputed: number
  unverifiable: number
  missing: number
}

export type CheckerReport = {
  index: number
  seat: number
  model: string
  verifications: Verification[]
  summary: CheckerCount
  failed: boolean
  rawText: string
  responseTimeMs: number
}

export type Claim = {
  id: string
  claim: string
  quote: string
  context: string
  type: "STATISTIC" | "DATE" | "ATTRIBUTION" | "TECHNICAL" | "COMPARISON" | "CAUSAL" | "OTHER"
  start: number | null
  end: number | null
}

export type Consensus = {
  claimId: string
  claim: string
  type: "STATISTIC" | "DATE" | "ATTRIBUTION" | "TECHNICAL" | "COMPARISON" | "CAUSAL" | "OTHER"
  consensusVerdict: "VERIFIED" | "DISPUTED" | "UNVERIFIABLE"
  consensusConfidence: "HIGH" | "MEDIUM" | "LOW"
  agreementRate: number
  votesCast: number
  tieBroken: boolean
  correction: string | null
  corrections: string[]
}

export type ConsensusData = {
  consensus: Consensus[]
  checkerCount: number
  failedCheckers: FailedModel[]
}

export type ContentData = {
  contentSource: "generated" | "user_provided"
  content?: string
}

export type Extraction = {
  model: string
  claims: Claim[]
  totalClaims: number
  typeBreakdown: Record<string, number>
  droppedClaims: number
  truncated: boolean
  checkedLength: number
  secondOpinion?: SecondOpinion
  rawText: string
  responseTimeMs: number
}

export type GeneratedData = {
  model: string
  content: string
  inputQuestion: string
  responseTimeMs: number
}

export type ReportData = {
  degraded: boolean
  warnings: string[]
  model: string | null
  reliabilityScore: number | null
  band: string | null
  coverage: number | null
  summary: ReportSummary
  averageAgreementRate: number | null
  annotatedContent: string
  fallback: boolean
  responseTimeMs: number | null
  report: string
  checkerCount: number
  rawText: string | null
}

export type ReportSummary = {
  verified: number
  disputed: number
  unverifiable: number
  note?: string
}

export type Roles = {
  contentSource: "generated" | "user_provided"
  generatorModel?: string
  extractorModel: string
  checkerModels: string[]
  reporterModel: string
}

export type Verification = {
  claimId: string
  verdict: "VERIFIED" | "DISPUTED" | "UNVERIFIABLE"
  confidence: "HIGH" | "MEDIUM" | "LOW"
  confidenceInferred: boolean
  evidence: string | null
  correction: string | null
  missing: boolean
}

export type VerifyStartData = {
  checkerCount: number
  claimCount: number
}

export interface Events {
  fact_check_start: {
    type: "fact_check_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    config: Roles
    biasWarning?: string
  }
  generate_start: {
    type: "generate_start"
    at: number
  }
  generate_complete: {
    type: "generate_complete"
    at: number
    data: GeneratedData
  }
  extract_start: {
    type: "extract_start"
    at: number
    data: ContentData
  }
  extract_complete: {
    type: "extract_complete"
    at: number
    data: Extraction
  }
  verify_start: {
    type: "verify_start"
    at: number
    data: VerifyStartData
  }
  checker_complete: {
    type: "checker_complete"
    at: number
    data: CheckerReport
  }
  all_checkers_complete: {
    type: "all_checkers_complete"
    at: number
    data: ConsensusData
  }
  report_start: {
    type: "report_start"
    at: number
  }
  report_complete: {
    type: "report_complete"
    at: number
    data: ReportData
  }
}
