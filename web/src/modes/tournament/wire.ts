// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type BracketData = {
  totalRounds: number
  seed: string
  seeding: string
  contestants: string[]
  seeds: SeedData[]
  byes: string[]
  matchups: Pair[]
  failedContestants: FailedContestant[]
  warnings: string[]
}

export type Contestant = {
  seat?: number
  model: string
  response: string
  responseTimeMs: number
  contestantId: string
}

export type FailedContestant = {
  contestantId: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type Judgement = {
  order: "forward" | "reversed"
  verdict: "Response A" | "Response B" | "TIE" | null
  scoreA: number | null
  scoreB: number | null
  reasoning: string | null
  attempts: number
  responseTimeMs: number
  texts: (string | null)[]
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type MatchupData = {
  round: number
  matchIndex: number
  contestantA: SideData
  contestantB: SideData | null
  judgeModel: string | null
  winner: "Response A" | "Response B"
  winnerModel: string
  winnerId: string
  loserModel: string | null
  loserId: string | null
  reasoning: string | null
  scoreA: number | null
  scoreB: number | null
  decidedBy: "verdicts" | "score_margin" | "seed" | "identical" | null
  positionConflict: boolean
  isBye: boolean
  wasRetry: boolean
  wasDefault: boolean
  responseTimeMs: number | null
  judgements: Judgement[]
}

export type OpeningConfig = {
  contestantModels: string[]
  judgeModel: string
  totalRounds: number
}

export type Pair = {
  roundNumber: number
  matchIndex: number
  contestantA: SideData
  contestantB: SideData | null
}

export type PathStep = {
  round: number
  opponent: string | null
  result: "won" | "bye"
}

export type RoundData = {
  round: number
  matchups: Pair[]
}

export type RoundOutcome = {
  round: number
  winners: string[]
  eliminated: string[]
  winnerIds: string[]
  eliminatedIds: string[]
}

export type SeedData = {
  seed: number
  contestantId: string
  seat: number | null
  model: string
}

export type SideData = {
  contestantId: string
  seat: number | null
  model: string
  label: string
}

export type Standing = {
  rank: number
  contestantId: string
  seat: number | null
  model: string
}

export type WinnerData = {
  degraded: boolean
  warnings: string[]
  model: string
  seat: number | null
  contestantId: string
  response: string
  bracketPath: PathStep[]
  totalMatchupsWon: number
  totalRounds: number
  standings: Standing[]
  judgeConsistency: number | null
}

export interface Events {
  tournament_start: {
    type: "tournament_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    config: OpeningConfig
  }
  collect_start: {
    type: "collect_start"
    at: number
  }
  collect_complete: {
    type: "collect_complete"
    at: number
    data: Contestant[]
  }
  bracket_seeded: {
    type: "bracket_seeded"
    at: number
    data: BracketData
  }
  round_start: {
    type: "round_start"
    at: number
    data: RoundData
  }
  matchup_complete: {
    type: "matchup_complete"
    at: number
    data: MatchupData
  }
  round_complete: {
    type: "round_complete"
    at: number
    data: RoundOutcome
  }
  winner_declared: {
    type: "winner_declared"
    at: number
    data: WinnerData
  }
}
