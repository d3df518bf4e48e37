// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { Answer, VoteResponse } from '../../api/wire'

export type TiebreakerResult = {
  model: string
  voteText: string
  votedFor: string
  responseTimeMs: number
  tiedLabels: string[]
  tiedVoteCount: number
  tiebreakerMethod?: "alphabetical"
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type VoteRoundResult = {
  votes: VoteResponse[]
  tallies: Record<string, number>
  validVoteCount: number
  invalidVoteCount: number
  isTie: boolean
  tiedLabels: string[]
  labelToModel: Record<string, string>
  labelToSeat: Record<string, number | null>
}

export type VoteWinnerResult = {
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
  tiebreakerModel?: string
}

export interface Events {
  vote_start: {
    type: "vote_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
  }
  stage1_start: {
    type: "stage1_start"
    at: number
  }
  stage1_complete: {
    type: "stage1_complete"
    at: number
    data: Answer[]
  }
  vote_round_start: {
    type: "vote_round_start"
    at: number
  }
  vote_round_complete: {
    type: "vote_round_complete"
    at: number
    data: VoteRoundResult
  }
  tiebreaker_start: {
    type: "tiebreaker_start"
    at: number
  }
  tiebreaker_complete: {
    type: "tiebreaker_complete"
    at: number
    data: TiebreakerResult
  }
  winner_declared: {
    type: "winner_declared"
    at: number
    data: VoteWinnerResult
  }
}
