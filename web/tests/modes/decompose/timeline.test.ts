import { expect, test } from 'vitest'
import { lanesOf, timelineOf } from '../../../src/modes/decompose/timeline'
import { EMPTY_STORY, type StoredEvent, type Story } from '../../../src/run/story'

const start = (at: number, taskId: string, seat: number) => ({
  type: 'task_start',
  at,
  data: { taskId, seat, model: `m/${seat}` },
})
const end = (at: number, taskId: string, failed = false) => ({
  type: 'task_complete',
  at,
  data: { taskId, failed },
})
const story = (events: object[], ended: boolean): Story => ({
  ...EMPTY_STORY,
  ended,
  events: events.map((event, place) => ({ id: place + 2, ...event }) as StoredEvent),
})
const short = (one: Story) =>
  timelineOf(one).map(({ task, seat, from, to, state }) => `${task} ${seat} ${from}-${to} ${state}`)

test('a task that failed is given to another, and the strip of each shows its part', () => {
  expect(
    short(story([start(0, 'a', 1), start(0, 'b', 2), start(40, 'a', 2), end(50, 'b'), end(90, 'a')], true)),
  ).toEqual(['a 1 0-40 again', 'b 2 0-50 done', 'a 2 40-90 done'])
})

test('a task that begins and ends within a millisecond has ended', () => {
  expect(short(story([start(5, 'a', 1), end(5, 'a'), start(5, 'b', 1), end(5, 'b', true)], true))).toEqual([
    'a 1 5-5 done',
    'b 1 5-5 failed',
  ])
})

test('what has not ended runs until now, or was left unfinished', () => {
  const told = [start(0, 'a', 1), start(10, 'b', 2), end(30, 'b')]
  expect(short(story(told, false))).toEqual(['a 1 0-30 running', 'b 2 10-30 done'])
  expect(short(story(told, true))).toEqual(['a 1 0-30 unfinished', 'b 2 10-30 done'])
})

test('what a worker does at the same time stands in lanes of its own', () => {
  const events = [
    start(0, 'a', 1),
    start(0, 'b', 1),
    end(30, 'b'),
    start(30, 'c', 1),
    end(50, 'a'),
    end(60, 'c'),
  ]
  expect(lanesOf(timelineOf(story(events, true)))).toEqual([0, 1, 1])
})
