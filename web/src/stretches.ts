// When each worker was at which task.

import type { Story } from './story'
import type { ModeEvents } from './wire'

type Told = ModeEvents['decompose']['task_start'] | ModeEvents['decompose']['task_complete']

/** A stretch of time in which a worker was at a task. */
export interface Stretch {
  task: string
  seat: number
  model: string
  from: number
  to: number
  /** `again`: it failed, and another was given the task. */
  state: 'running' | 'done' | 'failed' | 'again' | 'unfinished'
}

export function stretchesOf(story: Story): Stretch[] {
  const open = new Map<string, Stretch>()
  const all: Stretch[] = []
  const close = (task: string, to: number, state: Stretch['state']) => {
    const one = open.get(task)
    if (one) Object.assign(one, { to, state })
    open.delete(task)
  }
  // In the order they were told: what begins and ends within a millisecond has one and the same time.
  for (const event of story.events as readonly Told[]) {
    if (event.type === 'task_complete')
      close(event.data.taskId, event.at, event.data.failed ? 'failed' : 'done')
    else if (event.type === 'task_start') {
      close(event.data.taskId, event.at, 'again')
      const stretch: Stretch = {
        task: event.data.taskId,
        seat: event.data.seat ?? 0,
        model: event.data.model,
        from: event.at,
        to: event.at,
        state: 'running',
      }
      open.set(stretch.task, stretch)
      all.push(stretch)
    }
  }
  const now = story.events.at(-1)?.at ?? 0
  for (const one of open.values())
    Object.assign(one, { to: Math.max(now, one.from), state: story.ended ? 'unfinished' : 'running' })
  return all
}
