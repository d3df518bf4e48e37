// When each worker was at which task.

import type { Story } from '../../run/story'
import type { Events } from './wire'

type Start = Events['task_start']['data']
type End = Events['task_complete']['data']

/** A stretch of time in which a worker was at a task. */
export interface WorkSpan {
  task: string
  seat: number
  model: string
  from: number
  to: number
  /** `again`: it failed, and another was given the task. */
  state: 'running' | 'done' | 'failed' | 'again' | 'unfinished'
}

/** For each span of one worker the lane it is drawn in: spans that overlap stand below one another. */
export function lanesOf(spans: WorkSpan[]): number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end <= from)
    const lane = free === -1 ? ends.length : free
    ends[lane] = to
    return lane
  })
}

export function timelineOf(story: Story): WorkSpan[] {
  const open = new Map<string, WorkSpan>()
  const all: WorkSpan[] = []
  const close = (task: string, to: number, state: WorkSpan['state']) => {
    const one = open.get(task)
    if (one) Object.assign(one, { to, state })
    open.delete(task)
  }
  // In the order they were told: what begins and ends within a millisecond has one and the same time.
  for (const event of story.events) {
    if (event.type === 'task_complete') {
      const { taskId, failed } = event.data as End
      close(taskId, event.at, failed ? 'failed' : 'done')
    } else if (event.type === 'task_start') {
      const { taskId, seat, model } = event.data as Start
      close(taskId, event.at, 'again')
      const span: WorkSpan = {
        task: taskId,
        seat: seat ?? 0,
        model,
        from: event.at,
        to: event.at,
        state: 'running',
      }
      open.set(taskId, span)
      all.push(span)
    }
  }
  const now = story.events.at(-1)?.at ?? 0
  for (const one of open.values())
    Object.assign(one, { to: Math.max(now, one.from), state: story.ended ? 'unfinished' : 'running' })
  return all
}
