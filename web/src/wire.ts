// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

export type ActionItem = {
  issue: number
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  title: string
  action: string | null
  effort: "High" | "Medium" | "Low" | null
  verifyFirst: boolean
}

export type AggregateRanking = {
  seat: number
  model: string
  averageRank: number
  rankingsCount: number
}

export type Answer = {
  seat?: number
  model: string
  response: string
  responseTimeMs: number
}

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

export type AssemblyData = {
  degraded: boolean
  warnings: string[]
  model: string | null
  response: string
  responseTimeMs: number | null
  tasksAssembled: number
  missingTasks: string[]
  skipped: boolean
  fallback: "substitute_model" | "concatenation" | null
  executionStats: ExecutionStats
}

export type AssessmentSections = {
  convergent: string | null
  divergent: string | null
  riskMatrix: string | null
  recommendations: string | null
  executiveSummary: string | null
}

export type AssignmentData = {
  assignments: AssignmentEntry[]
}

export type AssignmentEntry = {
  taskId: string
  seat: number
  model: string
  waveNumber: number
}

export type Attack = {
  round: number
  model: string
  findings: AttackFinding[]
  summary: RiskSummary | null
  noFlaws: boolean
  newFindings: number
  parseSuccess: boolean
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

export type Calibration = {
  index: number
  seat: number
  model: string
  verdict: "OVERCONFIDENT" | "FAIR" | "UNDERCONFIDENT" | null
  note: string
}

export type CallCompleteData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  responseTimeMs: number
  usage: Usage
  cost: number | null
}

export type CallFailure = {
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type CallStartData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  attempt: number
}

export type CallView = {
  step: string
  seat: number | null
  model: string | null
  startedMs: number
  responseTimeMs: number
  firstTokenMs: number | null
  attempts: number
  usage: Usage
  cost: number | null
  finishReason: string | null
  failure: CallFailure | null
  inherited: boolean
}

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

export type ChosenCluster = {
  id: string
  name: string
  theme: string
  averageScore: number | null
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

export type Classification = {
  type: "numeric" | "qualitative"
  options: string[] | null
  scale: "RATIO" | "MAGNITUDE" | "BOUNDED" | "DATE" | null
  unit: string | null
  bounds: unknown[] | null
  reasoning: string | null
  source: "facilitator" | "request" | "fallback"
  model: string | null
  rawText: string
  responseTimeMs: number | null
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

export type Codebook = {
  options: string[]
  assignment: CodebookEntry[]
  model: string | null
  rawText: string
}

export type CodebookEntry = {
  participantIndex: number
  option: string
}

export type ConfidenceCounts = {
  low: number
  medium: number
  high: number
}

export type ConfigData = {
  models: string[]
  synthesisModel: string
  temperature: number
  weighting: string
}

export type Conflict = {
  first: string
  second: string
  text: string
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

export type ConsensusScore = {
  criterion: string
  average: number | null
  stddev: number | null
  range: number | null
  agreement: "High" | "Medium" | "Low" | null
  scoreCount: number
}

export type ConsolidationData = {
  degraded: boolean
  warnings: string[]
  model: string | null
  consolidatedReport: string
  executiveSummary: string | null
  consolidationMode: "model" | "computed"
  consolidatorText: string | null
  reviewerCount: number
  failedReviewers: FailedReviewer[]
  consensusScores: ConsensusScore[]
  weightedOverallAvg: number | null
  weightedOverallStddev: number | null
  overallAgreement: "High" | "Medium" | "Low" | null
  totalFindings: number
  issues: ReviewIssue[]
  actionItems: ActionItem[]
  disputes: Dispute[]
  consensusFindingCount: number
  uniqueFindingCount: number
  disputedAssessmentCount: number
  actionItemCount: number
  criticalFindingCount: number
  majorFindingCount: number
  interReviewerAgreement: InterReviewerAgreement
  responseTimeMs: number | null
}

export type ContentData = {
  contentSource: "generated" | "user_provided"
  content?: string
}

export type Contestant = {
  seat?: number
  model: string
  response: string
  responseTimeMs: number
  contestantId: string
}

export type ConvergenceData = {
  round: number
  stats: NumericStats | QualitativeStats | null
}

export type ConversationPage = {
  conversations: ConversationSummary[]
  nextCursor: string | null
}

export type ConversationSummary = {
  id: string
  title: string
  mode: string
  createdAt: string
  updatedAt: string
}

export type ConversationView = {
  id: string
  title: string
  mode: string
  createdAt: string
  updatedAt: string
  messages: MessageView[]
}

export type Criteria = {
  correctness: number | null
  completeness: number | null
  clarity: number | null
  depth: number | null
}

export type CriterionRating = {
  criterion: string
  score: number | null
  notes: string
}

export type CritiqueIssue = {
  id: string
  severity: "critical" | "major" | "minor"
  title: string
  where: string | null
  body: string
}

export type CrossReview = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  reviewText: string
  reactions: Reaction[]
  ignoredReactions: Reaction[]
  rescores: Rescore[]
  gaps: string[]
  revisedAverageScore: number | null
  responseTimeMs: number
  index: number
}

export type CrossReviewStartData = {
  totalReviewers: number
  totalFindings: number
}

export type CrossReviews = {
  ledger: LedgerEntry[]
  agreementRate: number | null
  totalSucceeded: number
  totalFailed: number
}

export type DayInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  day: string
  deliberations: Deliberations
}

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
  winnerDecision: "REVISE" | "STAND" | "MERGE" | null
}

export type DecomposeRoles = {
  plannerModel: string
  workerModels: string[]
  assemblerModel: string
  maxTasks: number
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

export type Deliberations = {
  total: number
  running: number
  complete: number
  degraded: number
  failed: number
  cancelled: number
}

export type DelphiRound = {
  round: number
  estimates: Estimate[]
  failed: Departure[]
  codebook?: Codebook
  stats: NumericStats | QualitativeStats | null
  converged: boolean
}

export type DelphiRoundStart = {
  round: number
}

export type DelphiSynthesis = {
  degraded: boolean
  warnings: string[]
  facilitatorModel: string | null
  report: string
  resultLine: string
  totalRounds: number
  converged: boolean
  convergenceRound: number | null
  stopReason: "converged" | "stable" | "max_rounds" | "attrition" | "deadline"
  finalValue: number | string
  interval?: unknown[]
  ci95?: unknown[]
  participants: Participant[]
  responseTimeMs: number
}

export type Departure = {
  participantIndex: number
  model: null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
  parseFailed?: boolean
  rawText: string
}

export type Detail = {
  path: string
  message: string
}

export type DialecticSynthesis = {
  degraded: boolean
  warnings: string[]
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  answer: string
  confidence: number | null
  changes: string[]
  caveats: string[]
  model: string
  content: string
  fallback: boolean
}

export type DimensionAnalysis = {
  dimension: "accuracy" | "completeness" | "clarity" | "relevance" | "actionability"
  avgScore: number | null
  minScore: number | null
  maxScore: number | null
  consensus: "Strong agreement" | "Mixed" | "Disagreement" | "Insufficient data"
}

export type Dispute = {
  topic: string
  positionA: string | null
  positionB: string | null
  evidence: string | null
}

export type Dissent = {
  seat: number | null
  verdict: "APPROVE" | "REVISE" | "REJECT" | null
  text: string
}

export type EarlyStopData = {
  round: number
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
}

export type Estimate = {
  participantIndex: number
  estimate?: number
  answer?: string
  confidence: "LOW" | "MEDIUM" | "HIGH"
  confidenceParsed: boolean
  changed: boolean
  carriedForward: boolean
  previousEstimate?: number
  previousAnswer?: string
  reasoning: string | null
  rangeGiven?: boolean
  parseFailed?: boolean
  error?: string
  rawText: string
  responseTimeMs: number | null
}

export type ExecutionStats = {
  totalTasks: number
  completedTasks: number
  failedTasks: number
  totalWaves: number
  maxParallelism: number
  criticalPath: string[]
  actualCriticalPath: string[]
  criticalPathMs: number
  executionTimeMs: number
  totalTimeMs: number
  speedup: number | null
  parallelismEfficiency: number | null
}

export type Expansion = {
  totalSections: number
}

export type Extraction = {
  model: string
  claims: Claim[]
  totalClaims: number
  typeBreakdown: Record<string, number>
  droppedClaims: number
  truncated: boolean
  checkedLength: number
  rawText: string
  responseTimeMs: number
}

export type FailedContestant = {
  contestantId: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FailedJuror = {
  seat: number
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FailedModel = {
  index: number
  seat: number
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FailedReviewer = {
  reviewerIndex: number
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FailedSection = {
  sectionNumber: number
  sectionTitle: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FailedSpecialist = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type Failure = {
  step: string
  seat: number | null
  model: string | null
  kind: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  reason: string
}

export type FoundTemplate = {
  id: string
  name: string
  similarity: number
  rank: number
}

export type GeneratedData = {
  model: string
  content: string
  inputQuestion: string
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

export type Insight = {
  firstDay: string
  lastDay: string
  timezone: string
  fewestCases: number
  totals: InsightTotals
  byDay: DayInsight[]
  byMode: ModeInsight[]
  byModel: ModelInsight[]
}

export type InsightTotals = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  deliberations: Deliberations
}

export type IntegratedAssessment = {
  degraded: boolean
  warnings: string[]
  model: string
  integratedAssessment: string
  convergentFindingCount: number | null
  divergentFindingCount: number | null
  recommendationCount: number | null
  riskMatrix: Risk[]
  panelScore: number | null
  overallAssessment: "critical_risk" | "high_risk" | "moderate_risk" | "low_risk" | null
  topRisk: string | null
  sections: AssessmentSections
  unknownCitations: string[]
  underSupported: string[]
  parseSuccess: boolean
  specialistCount: number
  failedCount: number
  failedSpecialists: FailedSpecialist[]
  responseTimeMs: number
}

export type InterReviewerAgreement = {
  averageScoreStddev: number | null
  findingsOverlapRate: number | null
  severityAgreementRate: number | null
  krippendorffAlpha: number | null
  unanimous: boolean
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
}

export type JurorAssessment = {
  seat: number
  model: string
  assessmentText: string
  scores: Record<string, number | null>
  average: number | null
  verdict: "APPROVE" | "REVISE" | "REJECT" | null
  verdictSource: "stated" | "derived" | null
  verdictMismatch: boolean
  strengths: string[]
  weaknesses: string[]
  recommendations: string[]
  responseTimeMs: number
  parseSuccess: boolean
}

export type JurorSummary = {
  jurorCount: number
  successfulJurors: number
  failedJurors: FailedJuror[]
  majorityVerdict: "APPROVE" | "REVISE" | "REJECT" | null
  verdictSource: "majority" | "tie_rule" | "foreman" | "default" | null
  voteTally: VoteTally
  dimensionAverages: Record<string, number | null>
  dimensionRanges: Record<string, Range | null>
  dimensionStdDevs: Record<string, number | null>
  overallAverage: number | null
  verdictAgreement: number | null
  leniency: Leniency[]
}

export type JuryCalled = {
  totalJurors: number
}

export type JuryVerdict = {
  degraded: boolean
  warnings: string[]
  model: string | null
  reportText: string
  finalVerdict: "APPROVE" | "REVISE" | "REJECT"
  verdictSource: "majority" | "tie_rule" | "foreman" | "default"
  foremanVerdict: "APPROVE" | "REVISE" | "REJECT" | null
  foremanDiffers: boolean
  dimensionAnalysis: DimensionAnalysis[]
  summary: string | null
  keyStrengths: Point[]
  keyWeaknesses: Point[]
  minorityPoints: MinorityPoint[]
  recommendations: string[]
  dissentingOpinions: Dissent[]
  responseTimeMs: number | null
  parseSuccess: boolean
  rawText: string | null
}

export type LabelData = {
  labelMap: Record<string, string>
  labelToSeat: Record<string, number | null>
}

export type LastRoundData = {
  round: number
  stats: NumericStats | QualitativeStats | null
  reason: "converged" | "stable" | "max_rounds" | "attrition" | "deadline"
}

export type LedgerEntry = {
  findingId: string
  status: "convergent" | "contested" | "solo"
  supporters: number[]
  challengers: number[]
}

export type Leniency = {
  seat: number
  value: number | null
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

export type MergedIdea = {
  id: string
  mergedIds: string[]
  sourceModels: string[]
  sourceSeats: number[]
}

export type MessageView = {
  id: string
  role: "user" | "assistant"
  content: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  error: string | null
  createdAt: string
  runId?: string | null
  simulated?: boolean | null
  warnings?: string[] | null
  result?: Record<string, unknown> | null
  events?: number | null
}

export type Metadata = {
  model: string
  role: string
}

export type MinorityPoint = {
  text: string
  jurors: number[]
  kind: "strength" | "weakness"
}

export type ModeInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  mode: string
  deliberations: Deliberations
  took: Times
  stages: StageInsight[]
  wins: string | null
  agrees: string | null
}

export type ModeList = {
  modes: ModeView[]
  defaultMode: string
}

export type ModeView = {
  id: string
  name: string
  family: "evaluation" | "adversarial" | "sequential" | "role_based" | "algorithmic" | "creative" | "verification"
  description: string
  goodFor: string
  minModels: number
  maxModels: number
  requiresSpecialRole: boolean
  supportsMultiTurn: boolean
  estimatedDurationMs: number
  available: boolean
  maxQuestionChars?: number | null
  configSchema?: Record<string, unknown> | null
  events?: string[] | null
}

export type ModelDay = {
  day: string
  calls: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
}

export type ModelInfo = {
  id: string
  provider: string
  name?: string | null
  contextLength?: number | null
  promptPrice?: number | null
  completionPrice?: number | null
  requestPrice?: number | null
}

export type ModelInsight = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  cost: number | null
  unpriced: number
  model: string
  simulated: boolean
  deliberations: number
  failures: Record<string, number>
  failure: Rate
  wins: WinRate
  agreement: Rate
  response: Times
  firstToken: Times
  byDay: ModelDay[]
}

export type Models = {
  models: ModelInfo[]
  unavailable?: Unavailable[]
  panel: string[]
}

export type NumericStats = {
  mean: number
  median: number
  stdDev: number
  min: number
  max: number
  q1: number
  q3: number
  cv: number | null
  dispersionKind: "RATIO" | "MAGNITUDE" | "BOUNDED" | "DATE"
  outliers: number[]
  highVariance: boolean
  confidenceCounts: ConfidenceCounts
  changedCount: number
  towardMedianCount: number
  freshCount: number
}

export type Objection = {
  id: string
  severity: "critical" | "major" | "minor"
  title: string
  firstRound: number
  status: "raised" | "partial" | "unresolved" | "resolved"
  history: RoundStatus[]
}

export type OpenIssues = {
  critical: number
  major: number
  minor: number
}

export type OpeningConfig = {
  contestantModels: string[]
  judgeModel: string
  totalRounds: number
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

export type Pair = {
  roundNumber: number
  matchIndex: number
  contestantA: SideData
  contestantB: SideData | null
}

export type PanelStart = {
  totalSpecialists: number
}

export type PanelSummary = {
  specialists: SpecialistLine[]
  failedSpecialists: FailedSpecialist[]
  totalSucceeded: number
  totalFailed: number
}

export type Participant = {
  participantIndex: number
  model: string
}

export type PathStep = {
  round: number
  opponent: string | null
  result: "won" | "bye"
}

export type PlanData = {
  tasks: Task[]
  executionWaves: string[][]
  criticalPath: string[]
  maxParallelism: number
  model: string
  seat?: number
  totalTasks: number
  repaired: boolean
  parseFailure: boolean
  warnings: string[]
  responseTimeMs: number
  assignments: AssignmentEntry[]
  rawText: string
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

export type Point = {
  text: string
  jurors: number[]
}

export type Presentation = {
  content: string
  originalQuestion?: string
  reviewBrief?: string
  wordCount: number
}

export type Preset = {
  id: string
  name: string
  mode: string
  config: Record<string, unknown>
  shared: boolean
  own: boolean
  owner: string
  isDefault: boolean
  problem: string | null
  createdAt: string
  updatedAt: string
}

export type PresetList = {
  presets: Preset[]
}

export type Problem = {
  error: string
  details: Detail[]
}

export type ProposerData = {
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  answer: string
  replies: Reply[]
  unanswered: string[]
  confidence: number | null
  scaffoldId: string | null
  parseSuccess: boolean
  round: number
  model: string
  content: string
  truncated: boolean
}

export type QualitativeStats = {
  distribution: Share[]
  agreementPercentage: number
  mode: string
  modeTied: boolean
  entropy: number
  confidenceCounts: ConfidenceCounts
  changedCount: number
  freshCount: number
}

export type RagData = {
  topK: number
  minSimilarity: number
  embeddingModel: string
  templates: FoundTemplate[]
  fallback: boolean
  degraded: boolean
  ragMs: number
}

export type RagQuery = {
  topK: number
  minSimilarity: number
  embeddingModel: string
  query: string
}

export type Range = {
  min: number
  max: number
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

export type RankingEntry = {
  label: string
  position: number
}

export type Rate = {
  count: number
  cases: number
  rate: number | null
}

export type Reaction = {
  findingId: string
  reaction: "SUPPORT" | "CHALLENGE" | "EXTEND"
  reason: string
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
  hardeningScore: number
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

export type Reply = {
  id: string
  decision: "ACCEPT" | "DEFEND"
  note: string
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

export type Rescore = {
  criterion: string
  from: number | null
  to: number
  reason: string
}

export type Response = {
  findingId: string
  findingTitle: string
  verdict: "ACCEPT" | "REBUT" | null
  reasoning: string | null
  revision: string | null
}

export type Review = {
  seat: number
  reviewerIndex: number
  model: string
  reviewText: string
  scores: ReviewScore[]
  overallScore: number | null
  findingCounts: Record<string, number>
  findings: ReviewFinding[]
  strengths: string[]
  parseSuccess: boolean
  responseTimeMs: number
  totalReviewers: number
}

export type ReviewFinding = {
  id: string
  number: number
  title: string
  category: string
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  severityInferred: boolean
  location: string | null
  quote: string | null
  grounded: boolean | null
  description: string | null
  impact: string | null
  recommendation: string | null
}

export type ReviewIssue = {
  number: number
  title: string
  findingIds: string[]
  reviewers: string[]
  consensus: boolean
  severity: "CRITICAL" | "MAJOR" | "MINOR" | "SUGGESTION"
  severityDisputed: boolean
  weight: number
  description: string | null
  action: string | null
  effort: "High" | "Medium" | "Low" | null
  credibility: "sound" | "doubtful" | null
  credibilityNote: string | null
}

export type ReviewLine = {
  seat: number
  reviewerIndex: number
  model: string
  overallScore: number | null
  findingCounts: Record<string, number>
  responseTimeMs: number
}

export type ReviewRound = {
  reviews: ReviewLine[]
  failedReviewers: FailedReviewer[]
  totalSucceeded: number
  totalFailed: number
  averageOverallScore: number | null
}

export type ReviewScore = {
  criterion: string
  score: number | null
  weight: number
  justification: string | null
}

export type ReviewersStartData = {
  totalReviewers: number
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

export type Risk = {
  domain: string
  riskLevel: "Critical" | "High" | "Medium" | "Low" | null
  keyConcern: string
  recommendedAction: string
  sourceSpecialists: string
}

export type RiskSummary = {
  critical: number
  high: number
  medium: number
  low: number
  overallRisk: string
}

export type Roles = {
  contentSource: "generated" | "user_provided"
  generatorModel?: string
  extractorModel: string
  checkerModels: string[]
  reporterModel: string
}

export type RoundData = {
  round: number
  matchups: Pair[]
}

export type RoundDecision = {
  round: number
  decision: "continue" | "stop"
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed" | null
  score: number | null
  openIssues: OpenIssues
}

export type RoundOutcome = {
  round: number
  winners: string[]
  eliminated: string[]
  winnerIds: string[]
  eliminatedIds: string[]
}

export type RoundStartData = {
  round: number
  maxRounds: number
}

export type RoundStatus = {
  round: number
  status: "raised" | "partial" | "unresolved" | "resolved"
}

export type RulingLine = {
  id: string
  ruling: "FIXED" | "DISMISSED" | "OPEN"
  reason: string | null
  source: "judge" | "default"
}

export type RunEstimate = {
  mode: string
  config: Record<string, unknown>
  models: string[]
  calls: number
  promptTokens: number
  completionTokens: number
  replyTokens: number
  cost: number | null
  unpriced: string[]
  reason: string | null
  simulated: boolean
  durationMs: number
  longestMs: number | null
  steps: StepEstimate[]
}

export type RunEstimates = {
  estimates: Record<string, RunEstimate>
}

export type RunView = {
  runId: string
  conversationId: string
  messageId: string
  mode: string
  question: string
  status: "running" | "complete" | "degraded" | "failed" | "cancelled"
  error: string | null
  retryOf?: string | null
  startedAt: string
  finishedAt: string | null
  userMessageId: string
  config: Record<string, unknown>
  activeMs: number
  simulated: boolean
  warnings: string[]
  answer: string | null
  result: Record<string, unknown>
  events: number
  calls: CallView[]
  totals: Totals
}

export type Scaffold = {
  id: string
  name: string
  whenToUse: string
  steps: string[]
  checks?: string[]
  exampleQuestions?: string[]
  domain?: string
  own?: boolean
}

export type ScoreData = {
  degraded: boolean
  warnings: string[]
  autoScore: number | null
  criteria: Criteria
  statedScore: number | null
  justification: string | null
  wouldBenefitFromFinetune: boolean | null
  scoreInconsistent: boolean
  scoreError: string | null
  judgeModel: string
  eligible: boolean
  reasons: string[]
  responseTimeMs: number | null
  rawText: string
  traceId: string | null
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

export type SeedData = {
  seed: number
  contestantId: string
  seat: number | null
  model: string
}

export type Setup = {
  models: string[]
  curatorModel: string
  refinerModel: string
  minIdeasPerModel: number
  maxClusters: number
}

export type Share = {
  answer: string
  count: number
  percentage: number
}

export type SideData = {
  contestantId: string
  seat: number | null
  model: string
  label: string
}

export type SkepticData = {
  responseTimeMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  issues: CritiqueIssue[]
  statuses: Status[]
  score: number | null
  ready: boolean
  hasCritical: boolean
  contradictorySignal: boolean
  round: number
  model: string
  content: string
  truncated: boolean
}

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

export type SpecialistLine = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  averageScore: number | null
  responseTimeMs: number
}

export type SpecialistReport = {
  seat: number
  roleId: string
  roleTitle: string
  model: string
  report: string
  criteriaScores: CriterionRating[]
  topRecommendations: string[]
  keyFindings: string[]
  averageScore: number | null
  parseSuccess: boolean
  parseNotes: string[]
  responseTimeMs: number
  index: number
  totalSpecialists: number
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
}

export type Stage3Response = {
  degraded?: boolean
  warnings?: string[]
  model: string
  response: string
  responseTimeMs: number
}

export type StageInsight = {
  cases: number
  medianMs: number | null
  p90Ms: number | null
  stage: string
}

export type Standing = {
  rank: number
  contestantId: string
  seat: number | null
  model: string
}

export type Status = {
  id: string
  status: "resolved" | "partial" | "unresolved"
  note: string
  unknownId?: boolean
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

export type StepEstimate = {
  step: string
  models: string[]
  calls: number
  promptTokens: number
  completionTokens: number
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

export type Task = {
  id: string
  title: string
  description: string
  dependencies: string[]
  complexity: "LOW" | "MEDIUM" | "HIGH"
  expertise: string
}

export type TaskData = {
  taskId: string
  title: string
  seat: number | null
  model: string
  output: string
  wordCount: number
  waveNumber: number
  dependencies: string[]
  responseTimeMs: number
  attempts: number
  gap: boolean
  failed: boolean
  failureReason?: string
  failureKind?: "timeout" | "budget" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
  outputPreview: string
  dependenciesUsed: string[]
  complexity: "LOW" | "MEDIUM" | "HIGH"
  expertise: string
  assignedModel: string
}

export type TaskStartData = {
  taskId: string
  title: string
  seat: number | null
  model: string
  waveNumber: number
  attempt: number
}

export type TemplateList = {
  templates: Scaffold[]
}

export type Term = {
  term: string
  meaning: string
}

export type Termination = {
  metadata: Metadata
  totalRounds: number
  earlyStopped: boolean
  reason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
  ledger: Objection[]
}

export type TiebreakerResult = {
  model: string
  voteText: string
  votedFor: string
  responseTimeMs: number
  tiedLabels: string[]
  tiedVoteCount: number
  tiebreakerMethod?: "alphabetical"
}

export type Times = {
  cases: number
  medianMs: number | null
  p90Ms: number | null
}

export type TitleData = {
  title: string
}

export type TokenData = {
  step: string
  seat: number | null
  model: string | null
  call: string
  text: string
}

export type Totals = {
  calls: number
  failed: number
  promptTokens: number | null
  completionTokens: number | null
  reasoningTokens: number | null
  cost: number | null
  unpriced: number
}

export type TraceData = {
  degraded: boolean
  warnings: string[]
  traceId: string
  totalRounds: number
  earlyStopped: boolean
  stopReason: "ready_signal" | "max_rounds" | "no_critical_issues" | "time_budget" | "token_budget" | "proposer_failed" | "skeptic_failed" | "cancelled" | "failed"
  templatesUsed: string[]
  models: TraceModels
  timing: TraceTiming
  tokens: TraceTokens
  costUsd: number | null
  sameModel: boolean
}

export type TraceModels = {
  proposer: string
  skeptic: string
  synthesizer: string
  embedding: string
  judge: string
}

export type TracePage = {
  traces: TraceSummary[]
  nextCursor: string | null
}

export type TraceStats = {
  total: number
  avgQuality: number | null
  eligible: number
}

export type TraceSummary = {
  id: string
  timestamp: string
  query: string
  final_answer: string
  templates_used: string[]
  total_rounds: number
  early_stopped: boolean
  stop_reason: string
  quality_score: number | null
  user_rating: number | null
  rating_note: string | null
  auto_score: number | null
  score_error: string | null
  models: Record<string, string>
  eligible: boolean
  reasons: string[]
}

export type TraceTiming = {
  totalMs: number
  ragMs: number
  roundsMs: number[]
  synthesisMs: number
}

export type TraceTokens = {
  prompt: number | null
  completion: number | null
}

export type Unavailable = {
  provider: string
  reason: string
}

export type Usage = {
  promptTokens: number | null
  completionTokens: number | null
  reasoningTokens: number | null
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

export type VoteResponse = {
  seat: number
  model: string
  voteText: string
  votedFor: string | null
  responseTimeMs: number
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

export type VoteTally = {
  approve: number
  revise: number
  reject: number
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
  tiebreakerModel?: string
}

export type WarningData = {
  message: string
  code: string
  step: string | null
}

export type WaveCompleteData = {
  waveNumber: number
  completedCount: number
  failedCount: number
  waveTimeMs: number
}

export type WaveStartData = {
  waveNumber: number
  tasks: WaveTask[]
}

export type WaveTask = {
  taskId: string
  title: string
  seat: number
  model: string
  dependencies: string[]
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

export type WinRate = {
  count: number
  cases: number
  rate: number | null
  evenOdds: number | null
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

export interface ModeEvents {
  council: {
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
  vote: {
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
  jury: {
    jury_start: {
      type: "jury_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
    }
    present_start: {
      type: "present_start"
      at: number
    }
    present_complete: {
      type: "present_complete"
      at: number
      data: Presentation
    }
    deliberation_start: {
      type: "deliberation_start"
      at: number
      data: JuryCalled
    }
    juror_complete: {
      type: "juror_complete"
      at: number
      data: JurorAssessment
    }
    all_jurors_complete: {
      type: "all_jurors_complete"
      at: number
      data: JurorSummary
    }
    verdict_start: {
      type: "verdict_start"
      at: number
    }
    verdict_complete: {
      type: "verdict_complete"
      at: number
      data: JuryVerdict
    }
  }
  debate: {
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
  delphi: {
    delphi_start: {
      type: "delphi_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
      questionType: "numeric" | "qualitative" | null
    }
    classify_start: {
      type: "classify_start"
      at: number
    }
    classify_complete: {
      type: "classify_complete"
      at: number
      data: Classification
    }
    round_start: {
      type: "round_start"
      at: number
      data: DelphiRoundStart
    }
    round_complete: {
      type: "round_complete"
      at: number
      data: DelphiRound
    }
    convergence_reached: {
      type: "convergence_reached"
      at: number
      data: ConvergenceData
    }
    max_rounds_reached: {
      type: "max_rounds_reached"
      at: number
      data: LastRoundData
    }
    synthesis_start: {
      type: "synthesis_start"
      at: number
    }
    synthesis_complete: {
      type: "synthesis_complete"
      at: number
      data: DelphiSynthesis
    }
  }
  red_team: {
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
  chain: {
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
  specialist_panel: {
    specialist_panel_start: {
      type: "specialist_panel_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
      roles: string[]
    }
    specialist_start: {
      type: "specialist_start"
      at: number
      data: PanelStart
    }
    specialist_complete: {
      type: "specialist_complete"
      at: number
      data: SpecialistReport
    }
    all_specialists_complete: {
      type: "all_specialists_complete"
      at: number
      data: PanelSummary
    }
    cross_review_start: {
      type: "cross_review_start"
      at: number
      data: CrossReviewStartData
    }
    cross_review_complete: {
      type: "cross_review_complete"
      at: number
      data: CrossReview
    }
    all_cross_reviews_complete: {
      type: "all_cross_reviews_complete"
      at: number
      data: CrossReviews
    }
    synthesis_start: {
      type: "synthesis_start"
      at: number
    }
    synthesis_complete: {
      type: "synthesis_complete"
      at: number
      data: IntegratedAssessment
    }
  }
  blueprint: {
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
  peer_review: {
    peer_review_start: {
      type: "peer_review_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
      reviewType: "architecture_review" | "code_review" | "design_spec_review" | "compliance_audit" | "business_plan_review" | "custom"
    }
    reviewers_start: {
      type: "reviewers_start"
      at: number
      data: ReviewersStartData
    }
    reviewer_complete: {
      type: "reviewer_complete"
      at: number
      data: Review
    }
    all_reviewers_complete: {
      type: "all_reviewers_complete"
      at: number
      data: ReviewRound
    }
    consolidation_start: {
      type: "consolidation_start"
      at: number
    }
    consolidation_complete: {
      type: "consolidation_complete"
      at: number
      data: ConsolidationData
    }
  }
  tournament: {
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
  confidence_weighted: {
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
  decompose: {
    decompose_start: {
      type: "decompose_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
      config: DecomposeRoles
    }
    plan_start: {
      type: "plan_start"
      at: number
    }
    plan_complete: {
      type: "plan_complete"
      at: number
      data: PlanData
    }
    assignment_complete: {
      type: "assignment_complete"
      at: number
      data: AssignmentData
    }
    wave_start: {
      type: "wave_start"
      at: number
      data: WaveStartData
    }
    task_start: {
      type: "task_start"
      at: number
      data: TaskStartData
    }
    task_complete: {
      type: "task_complete"
      at: number
      data: TaskData
    }
    wave_complete: {
      type: "wave_complete"
      at: number
      data: WaveCompleteData
    }
    assembly_start: {
      type: "assembly_start"
      at: number
    }
    assembly_complete: {
      type: "assembly_complete"
      at: number
      data: AssemblyData
    }
  }
  brainstorm: {
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
  fact_check: {
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
  dialectic: {
    dialectic_start: {
      type: "dialectic_start"
      at: number
      conversationId: string
      messageId: string
      mode: string
      runId: string
      retryOf?: string
      simulated?: boolean
    }
    rag_start: {
      type: "rag_start"
      at: number
      data: RagQuery
    }
    rag_complete: {
      type: "rag_complete"
      at: number
      data: RagData
    }
    round_start: {
      type: "round_start"
      at: number
      data: RoundStartData
    }
    proposer_complete: {
      type: "proposer_complete"
      at: number
      data: ProposerData
    }
    skeptic_complete: {
      type: "skeptic_complete"
      at: number
      data: SkepticData
    }
    round_complete: {
      type: "round_complete"
      at: number
      data: RoundDecision
    }
    early_stop: {
      type: "early_stop"
      at: number
      data: EarlyStopData
    }
    synthesis_start: {
      type: "synthesis_start"
      at: number
      data: Termination
    }
    synthesis_complete: {
      type: "synthesis_complete"
      at: number
      data: DialecticSynthesis
    }
    trace_saved: {
      type: "trace_saved"
      at: number
      data: TraceData
    }
    score_complete: {
      type: "score_complete"
      at: number
      data: ScoreData
    }
  }
}

export interface SharedEvents {
  model_failed: {
    type: "model_failed"
    at: number
    data: Failure
  }
  warning: {
    type: "warning"
    at: number
    data: WarningData
  }
  title_complete: {
    type: "title_complete"
    at: number
    data: TitleData
  }
  complete: {
    type: "complete"
    at: number
  }
  error: {
    type: "error"
    at: number
    message: string
  }
}

export interface LiveEvents {
  call_start: {
    type: "call_start"
    at: number
    data: CallStartData
  }
  token: {
    type: "token"
    at: number
    data: TokenData
  }
  call_complete: {
    type: "call_complete"
    at: number
    data: CallCompleteData
  }
}

export type ModeId = keyof ModeEvents
