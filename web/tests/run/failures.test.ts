import { expect, test } from 'vitest'
import { causesOf } from '../../src/run/failures'
import type { Failure } from '../../src/run/story'

const failure = (seat: number, step: string, reason: string) =>
  ({ seat, model: `m/${seat}`, step, kind: 'credit', reason }) as Failure

test('a cause is told once, with every step at which the seat met it', () => {
  const failures = [
    failure(1, 'task_1', 'No credit.'),
    failure(2, 'task_2', 'No credit.'),
    failure(1, 'task_3', 'No credit.'),
    failure(1, 'task_4', 'No route.'),
  ]
  expect(causesOf(failures).map(({ failure, steps }) => [failure.seat, failure.reason, ...steps])).toEqual([
    [1, 'No credit.', 'task_1', 'task_3'],
    [2, 'No credit.', 'task_2'],
    [1, 'No route.', 'task_4'],
  ])
})
