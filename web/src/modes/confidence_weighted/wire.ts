// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { FailedModel } from '../../api/wire'

export type AnswerCount = {
  count: number
  failedCount: number
  failedModels: FailedModel[]
}

export type AnswerData = {
  index: number
  seat: number
  model: string
  response: string
  confidence: number | null
  confidenceReasoning: string
  parsedSuccessfully: boolean
  parseNote: "clamped" | "range" | "percent" | "fraction" | "scale10" | "verbal" | "missing" | null
  responseTimeMs: number
  totalModels: number
  rawText: string
}

export type Calibration = {
  index: number
  seat: number
  model: string
  verdict: "OVERCONFIDENT" | "FAIR" | "UNDERCONFIDENT" | null
  note: string
}

export type ConfigData = {
  models: string[]
  synthesisModel: string
  temperature: number
  weighting: string
}

export type WeightEntry = {
  index: number
  seat: number
  model: string
  rawConfidence: number | null
  effectiveConfidence: number
  normalizedWeight: number
  weightPercent: number
  isOutlier: boolean
  parsedSuccessfully: boolean
}

export type WeightShare = {
  model: string
  weightPercent: number
}

export type WeightedSynthesis = {
  degraded: boolean
  warnings: string[]
  model: string
  synthesis: string
  calibrationNotes: string
  calibration: Calibration[]
  skipped: boolean
  fallback: "substitute_model" | "top_answer" | null
  responseTimeMs: number | null
  rawText: string | null
  highestWeight: WeightShare
  lowestWeight: WeightShare
  totalModels: number
}

export type WeightsData = {
  weights: WeightEntry[]
  temperature: number
  weighting: string
  outlierCount: number
  effectiveVoices: number
  failedModels: FailedModel[]
}

export interface Events {
  confidence_weighted_start: {
    type: "confidence_weighted_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    config: ConfigData
  }
  answers_start: {
    type: "answers_start"
    at: number
  }
  answer_complete: {
    type: "answer_complete"
    at: number
    data: AnswerData
  }
  all_answers_complete: {
    type: "all_answers_complete"
    at: number
    data: AnswerCount
  }
  weights_calculated: {
    type: "weights_calculated"
    at: number
    data: WeightsData
  }
  synthesis_start: {
    type: "synthesis_start"
    at: number
  }
  synthesis_complete: {
    type: "synthesis_complete"
    at: number
    data: WeightedSynthesis
  }
}
