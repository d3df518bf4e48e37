import './picture.css'
import { useState } from 'react'
import { plural, duration } from '../../ui/format'
import { Badge, Fold, Section } from '../../ui/section'
import { Markdown } from '../../ui/markdown'
import { Sign, SeatLabel, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import { type WorkSpan, timelineOf } from './timeline'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Plan = Events['plan_complete']['data']
type Task = Plan['tasks'][number]
type TaskOutcome = Events['task_complete']['data']
type State = 'waiting' | 'running' | 'done' | 'failed' | 'unfinished'

export function answer(story: Story): FinalAnswer | null {
  const assembly = last(story, 'assembly_complete')?.data
  if (!assembly) return null
  const parts = plural(assembly.tasksAssembled, 'part')
  return {
    text: assembly.response,
    by: assembly.model ? (
      <>
        Assembled from {parts} by <SeatLabel model={assembly.model} role="assembler" />
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

const taskNumber = (id: string) => id.replace('task_', '')

function Work({ story, plan }: { story: Story; plan: Plan }) {
  const [selected, setSelected] = useState<string | null>(null)
  const outcomes = new Map(every(story, 'task_complete').map((event) => [event.data.taskId, event.data]))
  const startedTasks = new Set(every(story, 'task_start').map((event) => event.data.taskId))
  const stats = last(story, 'assembly_complete')?.data.executionStats
  const stateOf = (id: string): State =>
    outcomes.get(id)?.failed
      ? 'failed'
      : outcomes.has(id)
        ? 'done'
        : startedTasks.has(id)
          ? story.ended
            ? 'unfinished'
            : 'running'
          : 'waiting'
  const spans = timelineOf(story)
  const task = plan.tasks.find((one) => one.id === selected)
  const path = stats?.actualCriticalPath ?? plan.criticalPath
  return (
    <>
      <Section
        title="The parts and what they rest on"
        note={`${outcomes.size} of ${plural(plan.tasks.length, 'part')}`}
      >
        <Graph
          plan={plan}
          path={path}
          outcomes={outcomes}
          stateOf={stateOf}
          selected={selected}
          select={(id) => setSelected(selected === id ? null : id)}
        />
        <p className="hint">
          {path.length > 1 &&
            `The bold line is the longest way through${stats ? ` (${duration(stats.criticalPathMs)})` : ', as planned'}: ${path.map(taskNumber).join(' → ')}. `}
          {!task && 'Choose a part to read it.'}
        </p>
        {task && (
          <TaskDetail task={task} plan={plan} outcome={outcomes.get(task.id)} state={stateOf(task.id)} />
        )}
        <Fold title="All parts, one after the other" note={plan.tasks.length}>
          {plan.tasks.map((one) => (
            <TaskDetail
              key={one.id}
              task={one}
              plan={plan}
              outcome={outcomes.get(one.id)}
              state={stateOf(one.id)}
            />
          ))}
        </Fold>
      </Section>
      {spans.length > 0 && (
        <Section
          title="Who worked when"
          note={
            stats?.speedup && stats.speedup >= 1.05
              ? `${stats.speedup.toFixed(1)} times as fast as one after the other`
              : undefined
          }
        >
          <Gantt spans={spans} />
        </Section>
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
                    ? `, rests on ${task.dependencies.map(taskNumber).join(', ')}`
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
function TaskDetail({
  task,
  plan,
  outcome,
  state,
}: {
  task: Task
  plan: Plan
  outcome: TaskOutcome | undefined
  state: State
}) {
  const assigned = plan.assignments.find((one) => one.taskId === task.id)
  return (
    <section
      className={`framed near ${seatClass(outcome?.seat ?? assigned?.seat)}`}
      aria-label={`Part ${taskNumber(task.id)}`}
    >
      <p className="line">
        <strong dir="auto">
          {taskNumber(task.id)}. {task.title}
        </strong>
        <SeatLabel seat={outcome?.seat ?? assigned?.seat} model={outcome?.model ?? assigned?.model} />
        <Badge kind={state === 'done' ? 'good' : state === 'failed' ? 'failed' : 'stood'}>{state}</Badge>
        {outcome && (
          <span className="note">{`${plural(outcome.wordCount, 'word')} · ${duration(outcome.responseTimeMs)}${outcome.attempts > 1 ? ` · ${outcome.attempts} attempts` : ''}`}</span>
        )}
      </p>
      <p className="reason" dir="auto">
        {task.description}
      </p>
      {outcome?.gap && (
        <p className="callout">Something it rests on was missing; it was written all the same.</p>
      )}
      {outcome?.failureReason && (
        <p className="cause" dir="auto">
          {outcome.failureReason}
        </p>
      )}
      {outcome?.output ? (
        <Markdown text={outcome.output} />
      ) : (
        <p className="hint">{state === 'failed' ? 'Nothing came.' : 'Not yet written.'}</p>
      )}
    </section>
  )
}

const WORDS: Record<WorkSpan['state'], string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  unfinished: 'unfinished',
  again: 'failed, given to another',
}

/** A strip per worker: what ran side by side is seen at a glance. */
function Gantt({ spans }: { spans: WorkSpan[] }) {
  const start = Math.min(...spans.map((one) => one.from))
  const whole = Math.max(1, ...spans.map((one) => one.to - start))
  const at = (moment: number) => `${((moment - start) / whole) * 100}%`
  const workers = [...new Map(spans.map((one) => [one.seat, one.model])).entries()].sort(
    (a, b) => a[0] - b[0],
  )
  return (
    <div className="gantt">
      <ol>
        {workers.map(([seat, model]) => {
          const own = spans.filter((one) => one.seat === seat)
          const label = own
            .map(
              (one) =>
                `part ${taskNumber(one.task)} from ${duration(one.from - start)} to ${duration(one.to - start)}, ${WORDS[one.state]}`,
            )
            .join('; ')
          return (
            <li key={seat} className={seatClass(seat)}>
              <SeatLabel seat={seat} model={model} />
              <svg width="100%" height="26" role="img" aria-label={label}>
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
                          {taskNumber(one.task)}
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
        <span>{duration(whole / 2)}</span>
        <span>{duration(whole)}</span>
      </p>
    </div>
  )
}
