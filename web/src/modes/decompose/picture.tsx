import './picture.css'
import { useState } from 'react'
import { many, seconds } from '../../ui/format'
import { Badge, Fold, Part } from '../../ui/section'
import { Markdown } from '../../ui/markdown'
import { Sign, Who, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import { type Stretch, stretchesOf } from './timeline'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Plan = Events['plan_complete']['data']
type Task = Plan['tasks'][number]
type Done = Events['task_complete']['data']
type State = 'waiting' | 'running' | 'done' | 'failed' | 'unfinished'

export function answer(story: Story): FinalAnswer | null {
  const made = last(story, 'assembly_complete')?.data
  if (!made) return null
  const parts = many(made.tasksAssembled, 'part')
  return {
    text: made.response,
    by: made.model ? (
      <>
        Assembled from {parts} by <Who model={made.model} role="assembler" />
      </>
    ) : (
      `${parts}, put one after the other`
    ),
  }
}

export function Picture({ story }: PictureProps) {
  const plan = last(story, 'plan_complete')?.data
  if (!plan) return null
  return <Work story={story} plan={plan} />
}

const number = (id: string) => id.replace('task_', '')

function Work({ story, plan }: { story: Story; plan: Plan }) {
  const [shown, setShown] = useState<string | null>(null)
  const done = new Map(every(story, 'task_complete').map((event) => [event.data.taskId, event.data]))
  const begun = new Set(every(story, 'task_start').map((event) => event.data.taskId))
  const stats = last(story, 'assembly_complete')?.data.executionStats
  const stateOf = (id: string): State =>
    done.get(id)?.failed
      ? 'failed'
      : done.has(id)
        ? 'done'
        : begun.has(id)
          ? story.ended
            ? 'unfinished'
            : 'running'
          : 'waiting'
  const stretches = stretchesOf(story)
  const task = plan.tasks.find((one) => one.id === shown)
  const path = stats?.actualCriticalPath ?? plan.criticalPath
  return (
    <>
      <Part
        title="The parts and what they rest on"
        note={`${done.size} of ${many(plan.tasks.length, 'part')}`}
      >
        <Graph
          plan={plan}
          path={path}
          done={done}
          stateOf={stateOf}
          shown={shown}
          show={(id) => setShown(shown === id ? null : id)}
        />
        <p className="hint">
          {path.length > 1 &&
            `The bold line is the longest way through${stats ? ` (${seconds(stats.criticalPathMs)})` : ', as planned'}: ${path.map(number).join(' → ')}. `}
          {!task && 'Choose a part to read it.'}
        </p>
        {task && <Near task={task} plan={plan} done={done.get(task.id)} state={stateOf(task.id)} />}
        <Fold title="All parts, one after the other" note={plan.tasks.length}>
          {plan.tasks.map((one) => (
            <Near key={one.id} task={one} plan={plan} done={done.get(one.id)} state={stateOf(one.id)} />
          ))}
        </Fold>
      </Part>
      {stretches.length > 0 && (
        <Part
          title="Who worked when"
          note={
            stats?.speedup && stats.speedup >= 1.05
              ? `${stats.speedup.toFixed(1)} times as fast as one after the other`
              : undefined
          }
        >
          <Gantt stretches={stretches} />
        </Part>
      )}
    </>
  )
}

const WIDE = 216
const SIZES: Record<Task['complexity'], readonly [number, number]> = {
  LOW: [136, 42],
  MEDIUM: [156, 52],
  HIGH: [176, 64],
}
const TALL = 80
const EDGE = 12

/** One column per wave, an edge from each part to those that rest on it; a bigger box is a harder part. */
function Graph({
  plan,
  path,
  done,
  stateOf,
  shown,
  show,
}: {
  plan: Plan
  path: string[]
  done: Map<string, Done>
  stateOf: (id: string) => State
  shown: string | null
  show: (id: string) => void
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
              const kind = `edge ${bold.has(`${before.id} ${task.id}`) ? 'critical' : ''} ${done.has(before.id) ? 'passed' : ''}`
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
            done.get(task.id)?.seat ?? seats.get(task.id),
            stateOf(task.id),
            done.get(task.id),
          ]
          return (
            <foreignObject key={task.id} x={x} y={y - tall / 2} width={wide} height={tall}>
              <button
                type="button"
                data-kept
                className={`task task-${state} ${task.complexity === 'HIGH' ? 'tall' : ''} ${one?.gap ? 'gap' : ''} ${seatClass(seat)}`}
                aria-expanded={shown === task.id}
                onClick={() => show(task.id)}
              >
                <span className="task-title">
                  <Sign seat={seat} size={11} />
                  <span className="name" dir="auto" title={task.title}>
                    {number(task.id)}. {task.title}
                  </span>
                </span>
                <span className="task-state">
                  {state}
                  {one && ` · ${seconds(one.responseTimeMs)}`}
                  {one?.gap && ' · with gaps'}
                </span>
                <span className="unseen">
                  {task.dependencies.length > 0
                    ? `, rests on ${task.dependencies.map(number).join(', ')}`
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

/** A part from near: what was wanted and what came. */
function Near({ task, plan, done, state }: { task: Task; plan: Plan; done: Done | undefined; state: State }) {
  const assigned = plan.assignments.find((one) => one.taskId === task.id)
  return (
    <section
      className={`framed near ${seatClass(done?.seat ?? assigned?.seat)}`}
      aria-label={`Part ${number(task.id)}`}
    >
      <p className="line">
        <strong dir="auto">
          {number(task.id)}. {task.title}
        </strong>
        <Who seat={done?.seat ?? assigned?.seat} model={done?.model ?? assigned?.model} />
        <Badge kind={state === 'done' ? 'good' : state === 'failed' ? 'failed' : 'stood'}>{state}</Badge>
        {done && (
          <span className="note">{`${many(done.wordCount, 'word')} · ${seconds(done.responseTimeMs)}${done.attempts > 1 ? ` · ${done.attempts} attempts` : ''}`}</span>
        )}
      </p>
      <p className="reason" dir="auto">
        {task.description}
      </p>
      {done?.gap && (
        <p className="callout">Something it rests on was missing; it was written all the same.</p>
      )}
      {done?.failureReason && (
        <p className="cause" dir="auto">
          {done.failureReason}
        </p>
      )}
      {done?.output ? (
        <Markdown text={done.output} />
      ) : (
        <p className="hint">{state === 'failed' ? 'Nothing came.' : 'Not yet written.'}</p>
      )}
    </section>
  )
}

const WORDS: Record<Stretch['state'], string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  unfinished: 'unfinished',
  again: 'failed, given to another',
}

/** A strip per worker: what ran side by side is seen at a glance. */
function Gantt({ stretches }: { stretches: Stretch[] }) {
  const start = Math.min(...stretches.map((one) => one.from))
  const whole = Math.max(1, ...stretches.map((one) => one.to - start))
  const at = (moment: number) => `${((moment - start) / whole) * 100}%`
  const workers = [...new Map(stretches.map((one) => [one.seat, one.model])).entries()].sort(
    (a, b) => a[0] - b[0],
  )
  return (
    <div className="gantt">
      <ol>
        {workers.map(([seat, model]) => {
          const own = stretches.filter((one) => one.seat === seat)
          const said = own
            .map(
              (one) =>
                `part ${number(one.task)} from ${seconds(one.from - start)} to ${seconds(one.to - start)}, ${WORDS[one.state]}`,
            )
            .join('; ')
          return (
            <li key={seat} className={seatClass(seat)}>
              <Who seat={seat} model={model} />
              <svg width="100%" height="26" role="img" aria-label={said}>
                <rect className="gantt-ground" width="100%" height="26" />
                {own.map((one, place) => (
                  <g key={place} className={`stretch stretch-${one.state}`}>
                    <rect
                      x={at(Math.min(one.from, start + whole * 0.994))}
                      width={`${Math.max(0.6, ((one.to - one.from) / whole) * 100)}%`}
                      y="3"
                      height="20"
                      rx="2"
                    />
                    {one.to - one.from > whole * 0.03 && (
                      <svg x={at(one.from)}>
                        <text x="6" y="17.500">
                          {number(one.task)}
                        </text>
                      </svg>
                    )}
                  </g>
                ))}
              </svg>
            </li>
          )
        })}
      </ol>
      <p className="gantt-axis note">
        <span>0 s</span>
        <span>{seconds(whole / 2)}</span>
        <span>{seconds(whole)}</span>
      </p>
    </div>
  )
}
