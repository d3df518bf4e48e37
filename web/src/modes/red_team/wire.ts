// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { SecondOpinion } from '../../api/wire'

export type Attack = {
  round: number
  model: string
  findings: AttackFinding[]
  summary: RiskSummary | null
  noFlaws: boolean
  newFindings: number
  parseSuccess: boolean
  secondOpinion?: SecondOpinion
  failed?: boolean
  error?: string
  rawText: string
  responseTimeMs: number
}

export type AttackFinding = {
  id: string
  title: string
  severity: "CRITICAL" | "HIGH" | "MEDIUM" | "LOW"
  severityParsed: boolean
  location: string
  evidence: string | null
  evidenceVerified: boolean | null
  vulnerability: string
  exploitScenario: string
  repeatOf: string | null
}

export type DefenceRound = {
  round: number
  model: string
  responses: Response[]
  accepted: number
  rebutted: number
  unaddressed: number
  revisedContent: string
  revisionAdopted: boolean
  parseSuccess: boolean
  failed?: boolean
  error?: string
  rawText: string
  responseTimeMs: number
}

export type GeneratedWork = {
  model: string
  structuredContent: string
  kind: "WORK" | "TASK" | null
  truncated: boolean
  fallback?: "generator_failed" | "low_fidelity"
  inputLength: number
  responseTimeMs: number
}

export type RedTeamRoundStart = {
  round: number
}

export type RedTeamSynthesis = {
  degraded: boolean
  warnings: string[]
  totalFindings: number
  repeats: number
  totalAccepted: number
  totalRebutted: number
  acceptanceRate: number | null
  severityCounts: RiskSummary
  residualRisk: "CRITICAL" | "HIGH" | "MEDIUM" | "LOW" | "NONE"
  inherent: number
  residual: number
  hardeningScore: number | null
  hardeningConfidence: "Low" | "Medium" | "High"
  model: string | null
  hardenedOutput: string
  auditSummary: string
  rulings: RulingLine[]
  remainingRisks: string[]
  selfJudged: boolean
  stopReason: "rounds_done" | "no_flaws" | "no_new_findings" | "deadline" | "attack_failed"
  totalRounds: number
  rawText: string | null
  responseTimeMs: number
}

export type Response = {
  findingId: string
  findingTitle: string
  verdict: "ACCEPT" | "REBUT" | null
  reasoning: string | null
  revision: string | null
}

export type RiskSummary = {
  critical: number
  high: number
  medium: number
  low: number
  overallRisk: string
}

export type RulingLine = {
  id: string
  ruling: "FIXED" | "DISMISSED" | "OPEN"
  reason: string | null
  source: "judge" | "default"
}

export interface Events {
  red_team_start: {
    type: "red_team_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    totalRounds: number
  }
  generate_start: {
    type: "generate_start"
    at: number
  }
  generate_complete: {
    type: "generate_complete"
    at: number
    data: GeneratedWork
  }
  attack_start: {
    type: "attack_start"
    at: number
    data: RedTeamRoundStart
  }
  attack_complete: {
    type: "attack_complete"
    at: number
    data: Attack
  }
  defend_start: {
    type: "defend_start"
    at: number
    data: RedTeamRoundStart
  }
  defend_complete: {
    type: "defend_complete"
    at: number
    data: DefenceRound
  }
  synthesize_start: {
    type: "synthesize_start"
    at: number
  }
  synthesize_complete: {
    type: "synthesize_complete"
    at: number
    data: RedTeamSynthesis
  }
}
