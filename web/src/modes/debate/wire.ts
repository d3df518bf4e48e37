// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { Answer, VoteResponse } from '../../api/wire'

export type DebateVoteResult = {
  votes: VoteResponse[]
  tallies: Record<string, number>
  validVoteCount: number
  invalidVoteCount: number
  isTie: boolean
  tiedLabels: string[]
  revisedLabelToModel: Record<string, string>
  labelToSeat: Record<string, number | null>
}

export type DebateWinnerResult = {
  degraded?: boolean
  warnings?: string[]
  winnerLabel: string
  winnerSeat: number
  winnerModel: string
  winnerResponse: string
  voteCount: number
  totalVotes: number
  tiebroken: boolean
  tiebreakerMethod?: "alphabetical"
  pooled?: string[]
  winnerDecision: "REVISE" | "STAND" | "MERGE" | null
}

export type LabelData = {
  labelMap: Record<string, string>
  labelToSeat: Record<string, number | null>
}

export type RevisedLabelData = {
  revisedLabelMap: Record<string, string>
  labelToSeat: Record<string, number | null>
}

export type RevisionResponse = {
  seat: number
  model: string
  decision: "REVISE" | "STAND" | "MERGE" | null
  reasoning: string | null
  originalResponse: string
  revisedResponse: string
  originalWordCount: number
  revisedWordCount: number
  responseTimeMs: number
  parseSuccess: boolean
  rawText: string | null
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type RevisionRoundResult = {
  revisions: RevisionResponse[]
  summary: RevisionSummary
}

export type RevisionSummary = {
  totalModels: number
  revised: number
  stood: number
  merged: number
  parseFailed: number
}

export interface Events {
  debate_start: {
    type: "debate_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
  }
  round1_start: {
    type: "round1_start"
    at: number
  }
  round1_complete: {
    type: "round1_complete"
    at: number
    data: Answer[]
  }
  revision_start: {
    type: "revision_start"
    at: number
    data: LabelData
  }
  revision_complete: {
    type: "revision_complete"
    at: number
    data: RevisionRoundResult
  }
  vote_start: {
    type: "vote_start"
    at: number
    data: RevisedLabelData
  }
  vote_complete: {
    type: "vote_complete"
    at: number
    data: DebateVoteResult
  }
  winner_declared: {
    type: "winner_declared"
    at: number
    data: DebateWinnerResult
  }
}
