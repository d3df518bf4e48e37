// Written by tools/page_types.py from the schemas of the API: `make docs` writes it anew.

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

export type AssignmentData = {
  assignments: AssignmentEntry[]
}

export type AssignmentEntry = {
  taskId: string
  seat: number
  model: string
  waveNumber: number
}

export type DecomposeRoles = {
  plannerModel: string
  workerModels: string[]
  assemblerModel: string
  maxTasks: number
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
  failureKind?: "timeout" | "budget" | "too_long" | "empty" | "auth" | "credit" | "not_found" | "rate_limited" | "refused" | "network" | "unreadable" | "cancelled" | "other"
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

export interface Events {
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
