import { Fold, Part, many, seconds } from '../parts'
import { Markdown } from '../Markdown'
import { Who, seatClass, signPath } from '../seats'
import { every, last } from '../story'
import type { ModeEvents } from '../wire'
import type { ModePart } from './part'

type Plan = ModeEvents['decompose']['plan_complete']['data']
type Done = ModeEvents['decompose']['task_complete']['data']

export const decompose: ModePart = {
  answer(story) {
    const made = last(story, 'decompose', 'assembly_complete')?.data
    return made ? { text: made.response, by: `Assembled by ${made.model} from ${many(made.tasksAssembled, 'part')}` } : null
  },
  Picture({ story }) {
    const plan = last(story, 'decompose', 'plan_complete')?.data
    const done = new Map(every(story, 'decompose', 'task_complete').map((event) => [event.data.taskId, event.data]))
    const begun = new Set(every(story, 'decompose', 'task_start').map((event) => event.data.taskId))
    const stats = last(story, 'decompose', 'assembly_complete')?.data.executionStats
    if (!plan) return null
    return (
      <Part title="The plan" note={stats?.speedup ? `${figureOf(stats.speedup)} times as fast as one after the other` : `${done.size} of ${many(plan.tasks.length, 'part')}`}>
        <Graph plan={plan} done={done} begun={begun} />
        {plan.tasks.map((task) => {
          const one = done.get(task.id)
          return (
            <Fold key={task.id} title={`${task.id.replace('task_', '')}. ${task.title}`} note={one ? <>{one.failed ? 'failed' : many(one.wordCount, 'word')} · {seconds(one.responseTimeMs)} · <Who seat={one.seat} model={one.model} /></> : 'waiting'}>
              <p className="hint">{task.description}</p>
              {one?.output && <Markdown text={one.output} />}
            </Fold>
          )
        })}
      </Part>
    )
  },
}

const figureOf = (value: number) => value.toFixed(1)
const WIDE = 190
const TALL = 56

/** One column per wave, an edge from each part to those that need it; the critical path is drawn bold. */
function Graph({ plan, done, begun }: { plan: Plan; done: Map<string, Done>; begun: Set<string> }) {
  const place = new Map(plan.executionWaves.flatMap((wave, column) => wave.map((id, row) => [id, { column, row, of: wave.length }] as const)))
  const rows = Math.max(...plan.executionWaves.map((wave) => wave.length))
  const height = rows * TALL + 8
  const seats = new Map(plan.assignments.map((one) => [one.taskId, one.seat]))
  const spot = (id: string) => {
    const { column, row, of } = place.get(id) ?? { column: 0, row: 0, of: 1 }
    return { x: column * WIDE + 4, y: height / 2 + (row - (of - 1) / 2) * TALL }
  }
  const critical = new Set(plan.criticalPath.slice(1).map((id, before) => `${plan.criticalPath[before]} ${id}`))
  const state = (id: string) => (done.get(id)?.failed ? 'failed' : done.has(id) ? 'done' : begun.has(id) ? 'running' : 'waiting')
  const said = plan.tasks.map((task) => `${task.title}${task.dependencies.length ? ` after ${task.dependencies.join(', ')}` : ''}: ${state(task.id)}`).join('; ')
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Graph of the parts">
      <svg className="graph" width={plan.executionWaves.length * WIDE} height={height} viewBox={`0 0 ${plan.executionWaves.length * WIDE} ${height}`} role="img" aria-label={said}>
        {plan.tasks.flatMap((task) =>
          task.dependencies.filter((id) => place.has(id)).map((id) => {
            const [from, to] = [spot(id), spot(task.id)]
            const [x1, x2] = [from.x + WIDE - 40, to.x]
            return <path key={`${id} ${task.id}`} className={critical.has(`${id} ${task.id}`) ? 'edge critical' : 'edge'} d={`M${x1} ${from.y}C${x1 + 24} ${from.y} ${x2 - 24} ${to.y} ${x2} ${to.y}`} />
          }),
        )}
        {plan.tasks.map((task) => {
          const { x, y } = spot(task.id)
          return (
            <g key={task.id} className={`${seatClass(seats.get(task.id))} node-${state(task.id)}`}>
              <title>{`${task.title}: ${state(task.id)}`}</title>
              <rect className="node" x={x} y={y - 20} width={WIDE - 40} height="40" rx="4" />
              <path className="sign-shape" d={signPath(seats.get(task.id))} transform={`translate(${x + 8} ${y - 14}) scale(.8)`} fillRule="evenodd" />
              <text x={x + 26} y={y - 3}>
                {task.title.length > 19 ? `${task.title.slice(0, 18)}…` : task.title}
              </text>
              <text className="faint" x={x + 26} y={y + 13}>
                {state(task.id)}
              </text>
            </g>
          )
        })}
      </svg>
    </div>
  )
}
