import { useState } from 'react'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, plural } from '../../ui/format'
import { SeatLabel } from '../../ui/seats'
import { Fold, Section } from '../../ui/section'
import { Gantt } from './gantt'
import { Graph } from './graph'
import { type State, TaskDetail, taskNumber } from './task'
import { timelineOf } from './timeline'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

type Plan = Events['plan_complete']['data']

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
      `${parts}, one after another`
    ),
  }
}

export function Picture({ story }: PictureProps) {
  const plan = last(story, 'plan_complete')?.data
  if (!plan) return null
  return <Work story={story} plan={plan} />
}

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
        title="Parts and dependencies"
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
            `The bold line is the longest path${stats ? ` (${duration(stats.criticalPathMs)})` : ' in the plan'}: ${path.map(taskNumber).join(' → ')}. `}
          {!task && 'Choose a part to read it.'}
        </p>
        {task && (
          <TaskDetail task={task} plan={plan} outcome={outcomes.get(task.id)} state={stateOf(task.id)} />
        )}
        <Fold title="All parts" note={plan.tasks.length}>
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
              ? `${stats.speedup.toFixed(1)} times as fast as one at a time`
              : undefined
          }
        >
          <Gantt spans={spans} />
        </Section>
      )}
    </>
  )
}
