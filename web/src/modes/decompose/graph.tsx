import { duration } from '../../ui/format'
import { Sign, seatClass } from '../../ui/seats'
import { type State, taskNumber } from './task'
import type { Events } from './wire'

type Plan = Events['plan_complete']['data']
type Task = Plan['tasks'][number]
type TaskOutcome = Events['task_complete']['data']

const WIDE = 256

const SIZES: Record<Task['complexity'], readonly [number, number]> = {
  LOW: [164, 42],
  MEDIUM: [188, 52],
  HIGH: [208, 64],
}

const TALL = 80
const EDGE = 12

/** One column per wave, an edge from each part to those that rest on it; a bigger box is a harder part. */
export function Graph({
  plan,
  path,
  outcomes,
  stateOf,
  selected,
  select,
}: {
  plan: Plan
  path: string[]
  outcomes: Map<string, TaskOutcome>
  stateOf: (id: string) => State
  selected: string | null
  select: (id: string) => void
}) {
  const place = new Map(
    plan.executionWaves.flatMap((wave, column) =>
      wave.map((id, row) => [id, { column, row, of: wave.length }] as const),
    ),
  )
  const rows = Math.max(1, ...plan.executionWaves.map((wave) => wave.length))
  const [width, height] = [
    Math.max(1, plan.executionWaves.length - 1) * WIDE + SIZES.HIGH[0] + 8,
    rows * TALL + 2 * EDGE,
  ]
  const seats = new Map(plan.assignments.map((one) => [one.taskId, one.seat]))
  const spot = (task: Task) => {
    const { column, row, of } = place.get(task.id) ?? { column: 0, row: 0, of: 1 }
    const [wide, tall] = SIZES[task.complexity]
    return { x: column * WIDE + 2, y: height / 2 + (row - (of - 1) / 2) * TALL, wide, tall }
  }
  const bold = new Set(path.slice(1).map((id, before) => `${path[before]} ${id}`))
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Graph of the parts">
      <svg className="graph" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {plan.tasks.flatMap((task) =>
          plan.tasks
            .filter((before) => task.dependencies.includes(before.id))
            .map((before) => {
              const [from, to] = [spot(before), spot(task)]
              const kind = `edge ${bold.has(`${before.id} ${task.id}`) ? 'critical' : ''} ${outcomes.has(before.id) ? 'passed' : ''}`
              return (
                <path
                  key={`${before.id} ${task.id}`}
                  className={kind}
                  pathLength="1"
                  d={way(from, to, height)}
                />
              )
            }),
        )}
        {plan.tasks.map((task) => {
          const { x, y, wide, tall } = spot(task)
          const [seat, state, one] = [
            outcomes.get(task.id)?.seat ?? seats.get(task.id),
            stateOf(task.id),
            outcomes.get(task.id),
          ]
          return (
            <foreignObject key={task.id} x={x} y={y - tall / 2} width={wide} height={tall}>
              <button
                type="button"
                data-kept
                className={`task task-${state} ${task.complexity === 'HIGH' ? 'tall' : ''} ${one?.gap ? 'gap' : ''} ${seatClass(seat)}`}
                aria-expanded={selected === task.id}
                onClick={() => select(task.id)}
              >
                <span className="task-title">
                  <Sign seat={seat} size={11} />
                  <span className="name" dir="auto" title={task.title}>
                    {taskNumber(task.id)}. {task.title}
                  </span>
                </span>
                <span className="task-state">
                  {state}
                  {one && ` · ${duration(one.responseTimeMs)}`}
                  {one?.gap && ' · with gaps'}
                </span>
                <span className="unseen">
                  {task.dependencies.length > 0
                    ? `, depends on ${task.dependencies.map(taskNumber).join(', ')}`
                    : ''}
                </span>
              </button>
            </foreignObject>
          )
        })}
      </svg>
    </div>
  )
}

interface Spot {
  x: number
  y: number
  wide: number
}

/** The way of an edge; one that skips a column goes round what stands there. */
function way(from: Spot, to: Spot, height: number): string {
  const [x1, x2] = [from.x + from.wide, to.x]
  if (to.x - from.x <= WIDE) return `M${x1} ${from.y}C${x1 + 34} ${from.y} ${x2 - 34} ${to.y} ${x2} ${to.y}`
  const round = from.y >= height / 2 ? height - 4 : 4
  return `M${x1} ${from.y}C${x1 + 24} ${from.y} ${x1 + 14} ${round} ${x1 + 50} ${round}H${x2 - 50}C${x2 - 14} ${round} ${x2 - 24} ${to.y} ${x2} ${to.y}`
}
