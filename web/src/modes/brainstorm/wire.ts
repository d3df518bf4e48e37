// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

import type { FailedModel } from '../../api/wire'

export type ChosenCluster = {
  id: string
  name: string
  theme: string
  averageScore: number | null
}

export type Cluster = {
  id: string
  name: string
  theme: string
  promise: "HIGH" | "MEDIUM" | "LOW"
  ideaCount: number
  ideaIds: string[]
}

export type ClusterScore = {
  clusterId: string
  novelty: number
  feasibility: number
  impact: number
  total: number
  reason: string | null
}

export type ClustersData = {
  model: string | null
  clusters: Cluster[]
  totalClusters: number
  unclusteredCount: number
  unclusteredIds: string[]
  uniqueIdeas: number
  merged: MergedIdea[]
  fallback: "substitute_model" | "agglomerative" | null
  rawText: string | null
  responseTimeMs: number | null
}

export type Idea = {
  id: string
  title: string
  description: string
  sourceLabel: string
}

export type IdeasData = {
  totalIdeas: number
  uniqueIdeas: number
  modelCount: number
  effectiveMaxClusters: number
  merged: MergedIdea[]
  failedModels: FailedModel[]
}

export type Ideation = {
  index: number
  seat: number
  model: string
  ideas: Idea[]
  ideaCount: number
  failed: boolean
  lens: string
  truncatedIdeas?: number
  rawText: string | null
  responseTimeMs: number
}

export type MergedIdea = {
  id: string
  mergedIds: string[]
  sourceModels: string[]
  sourceSeats: number[]
}

export type RankedCluster = {
  id: string
  name: string
  rank: number
  averageNovelty: number | null
  averageFeasibility: number | null
  averageImpact: number | null
  averageScore: number | null
  adjustedScore: number | null
  scoreStdDev: number | null
}

export type RankingData = {
  rankedClusters: RankedCluster[]
  scorerCount: number
  rankingMethod: "scores" | "promise"
}

export type Refinement = {
  degraded: boolean
  warnings: string[]
  model: string | null
  proposal: string
  winningClusterId: string
  winningClusterName: string
  winningScore: number | null
  tiedCount: number
  tiedClusterIds: string[]
  rankedClusters: RankedCluster[]
  rankingMethod: "scores" | "promise" | null
  wordCount: number
  totalIdeas: number
  totalClusters: number
  fallback: "substitute_model" | "digest" | null
  responseTimeMs: number | null
}

export type RefinementStartData = {
  cluster: ChosenCluster
  tiedCount: number
  tiedClusterIds: string[]
}

export type ScorerReport = {
  index: number
  seat: number
  model: string
  scores: ClusterScore[]
  valid: boolean
  rawText: string
  responseTimeMs: number
}

export type Setup = {
  models: string[]
  curatorModel: string
  refinerModel: string
  minIdeasPerModel: number
  maxClusters: number
}

export interface Events {
  brainstorm_start: {
    type: "brainstorm_start"
    at: number
    conversationId: string
    messageId: string
    mode: string
    runId: string
    retryOf?: string
    simulated?: boolean
    config: Setup
  }
  ideation_start: {
    type: "ideation_start"
    at: number
  }
  ideation_complete: {
    type: "ideation_complete"
    at: number
    data: Ideation
  }
  all_ideation_complete: {
    type: "all_ideation_complete"
    at: number
    data: IdeasData
  }
  clustering_start: {
    type: "clustering_start"
    at: number
  }
  clustering_complete: {
    type: "clustering_complete"
    at: number
    data: ClustersData
  }
  scoring_start: {
    type: "scoring_start"
    at: number
  }
  scorer_complete: {
    type: "scorer_complete"
    at: number
    data: ScorerReport
  }
  all_scoring_complete: {
    type: "all_scoring_complete"
    at: number
    data: RankingData
  }
  refinement_start: {
    type: "refinement_start"
    at: number
    data: RefinementStartData
  }
  refinement_complete: {
    type: "refinement_complete"
    at: number
    data: Refinement
  }
}
