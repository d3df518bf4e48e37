// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type AssembledDocument = {
  degraded: boolean
  warnings: string[]
  model: string | null
  document: string
  wordCount: number
  hasTodoMarkers: boolean
  todoMarkers: string[]
  assemblyMode: "patched" | "rewritten" | "plain"
  documentTitle: string
  totalSections: number
  sectionsAssembled: number
  sectionsMissing: number
  failedSections: FailedSection[]
  crossReferencesAdded: number
  danglingReferences: number[]
  acceptedCuts: number
  refusedCuts: number
  conflicts: Conflict[]
  condensed: boolean
  editorText: string | null
  responseTimeMs: number | null
}

export type Conflict = {
  first: string
  second: string
  text: string
}

export type Expansion = {
  totalSections: number
}

export type FailedSection = {
  sectionNumber: number
  sectionTitle: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type OutlineData = {
  documentTitle: string
  documentType: string
  sections: PlannedSection[]
  totalSections: number
  estimatedLength: string
  keyThemes: string[]
  terms: Term[]
  architectModel: string
  rawOutline: string
  outlineParse: "markers" | "headings" | "list"
  repaired: boolean
  droppedSections: string[]
  warnings: string[]
  responseTimeMs: number
}

export type PlannedSection = {
  number: number
  sourceNumber: number | null
  title: string
  description: string
  keyTopics: string[]
  length: "Short" | "Medium" | "Long"
  sourceCoverage: string
  excludes: string
  assignedModel: string
}

export type SectionLine = {
  seat: number
  sectionNumber: number
  sectionTitle: string
  model: string
  wordCount: number
  responseTimeMs: number
}

export type SectionsSummary = {
  sections: SectionLine[]
  failedSections: FailedSection[]
  totalSucceeded: number
  totalFailed: number
}

export type Term = {
  term: string
  meaning: string
}

export type WrittenSection = {
  seat: number
  sectionNumber: number
  sectionTitle: string
  model: string
  wordCount: number
  responseTimeMs: number
  content: string
  targetLength: "Short" | "Medium" | "Long"
  lengthStatus: "under" | "ok" | "over"
  keyTopicsCovered: string[]
  keyTopicsMissing: string[]
  reassigned: boolean
  trimmedWords: number
  rawContent?: string
  index: number
  totalSections: number
}

export interface Events {
  blueprint_start: {
    type: "blueprint_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    documentType: string
  }
  outline_start: {
    type: "outline_start"
    at: number
  }
  outline_complete: {
    type: "outline_complete"
    at: number
    data: OutlineData
  }
  expansion_start: {
    type: "expansion_start"
    at: number
    data: Expansion
  }
  section_complete: {
    type: "section_complete"
    at: number
    data: WrittenSection
  }
  all_sections_complete: {
    type: "all_sections_complete"
    at: number
    data: SectionsSummary
  }
  assembly_start: {
    type: "assembly_start"
    at: number
  }
  assembly_complete: {
    type: "assembly_complete"
    at: number
    data: AssembledDocument
  }
}
