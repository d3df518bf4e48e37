import { duration, plural } from '../../ui/format'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, seatClass } from '../../ui/seats'
import { Badge } from '../../ui/section'
import type { Events } from './wire'

type Plan = Events['plan_complete']['data']
type Task = Plan['tasks'][number]
type TaskOutcome = Events['task_complete']['data']
export type State = 'waiting' | 'running' | 'done' | 'failed' | 'unfinished'

export const taskNumber = (id: string) => id.replace('task_', '')

/** A part from near: what was wanted and what came. */
export function TaskDetail({
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
      {outcome?.gap && <p className="callout">A part it depends on was missing; it was written anyway.</p>}
      {outcome?.failureReason && (
        <p className="cause" dir="auto">
          {outcome.failureReason}
        </p>
      )}
      {outcome?.output ? (
        <CopyableText text={outcome.output} />
      ) : (
        <p className="hint">{state === 'failed' ? 'No reply.' : 'Not yet written.'}</p>
      )}
    </section>
  )
}
