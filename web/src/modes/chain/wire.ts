// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type SkippedData = {
  step: number
  model: string
  mandate: string
  mandateDisplay: string
  reason: string
  previousWordCount: number
  rejectedText?: string
  degraded?: boolean
  warnings?: string[]
}

export type StepData = {
  step: number
  model: string
  mandate: string
  mandateDisplay: string
  content: string
  wordCount: number
  previousWordCount: number
  wordCountDelta: number
  addedWords: number
  removedWords: number
  similarity: number
  unchanged: boolean
  editorNote: string | null
  substitutedFor?: string
  customMandate?: string
  endMissing: boolean
  attempts: number
  responseTimeMs: number
  degraded?: boolean
  warnings?: string[]
}

export type StepLine = {
  step: number
  model: string
  mandate: string
  mandateDisplay: string
}

export type StepStart = {
  step: number
  model: string
  mandate: string
  mandateDisplay: string
  note?: string
}

export interface Events {
  chain_start: {
    type: "chain_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    totalSteps: number
    steps: StepLine[]
  }
  chain_step_start: {
    type: "chain_step_start"
    at: number
    data: StepStart
  }
  chain_step_complete: {
    type: "chain_step_complete"
    at: number
    data: StepData
  }
  chain_step_skipped: {
    type: "chain_step_skipped"
    at: number
    data: SkippedData
  }
}
