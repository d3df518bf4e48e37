// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { Answer } from '../../api/wire'

export type AggregateRanking = {
  seat: number
  model: string
  averageRank: number
  rankingsCount: number
}

export type RankingEntry = {
  label: string
  position: number
}

export type Stage2Metadata = {
  labelToModel: Record<string, string>
  labelToSeat: Record<string, number | null>
  aggregateRankings: AggregateRanking[]
}

export type Stage2Response = {
  seat: number
  model: string
  rankingText: string
  parsedRanking: RankingEntry[]
  parsedBy: "nonce" | "marker" | "json" | "statement" | "list" | "mention" | "quotation" | "incomplete" | "abstention" | null
}

export type Stage3Response = {
  degraded?: boolean
  warnings?: string[]
  model: string
  response: string
  responseTimeMs: number
}

export interface Events {
  stage1_start: {
    type: "stage1_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
  }
  stage1_complete: {
    type: "stage1_complete"
    at: number
    data: Answer[]
  }
  stage2_start: {
    type: "stage2_start"
    at: number
  }
  stage2_complete: {
    type: "stage2_complete"
    at: number
    data: Stage2Response[]
    metadata: Stage2Metadata
  }
  stage3_start: {
    type: "stage3_start"
    at: number
  }
  stage3_complete: {
    type: "stage3_complete"
    at: number
    data: Stage3Response
  }
}
