import { describe, expect, it } from 'vitest'
import type { ModePart } from '../../src/run/mode_part'
import { plainPart } from '../../src/run/picture'
import { liveCalls, shortfall, stagesAhead, stagesOf, stepName } from '../../src/run/stages'
import { EMPTY_STORY, type StoredEvent, addEvents } from '../../src/run/story'
import { live, opening, stored } from './events'

const part: ModePart = {
  ...plainPart,
  names: { stage1: 'Answers', section: 'Sections' },
  parallelSteps: /^(section)_/,
}

describe('stages', () => {
  const story = addEvents(EMPTY_STORY, [
    stored(1, opening),
    stored(2, { type: 'stage1_start' }),
    stored(5, { type: 'attack_start', data: { round: 2 } }),
    stored(9, { type: 'complete' }),
  ])

  it('last until the next one starts', () => {
    expect(stagesOf(story, part).map((stage) => [stage.name, stage.from, stage.to])).toEqual([
      ['Answers', 20, 50],
      ['Attack 2', 50, 90],
    ])
  })

  it('are what the mode says they are, under the names it gives them', () => {
    const own: ModePart = {
      ...part,
      isStage: ({ type }) => type !== 'attack_start',
      stageName: ({ id }) => (id === 1 ? 'Opening' : null),
    }
    expect(stagesOf(story, own).map((stage) => stage.name)).toEqual(['Opening', 'Answers'])
  })
})

describe('live calls', () => {
  it('are those of the newest group, each seat once', () => {
    const call = (step: string, seat: number | null, at: number) =>
      live('call_start', { step, seat, model: 'a/b', attempt: 1 }, at)
    const story = addEvents(EMPTY_STORY, [
      call('collect', 1, 1),
      call('collect', 2, 1),
      call('title', null, 2),
      call('section_2', 2, 3),
      call('section_1', 1, 3),
    ])
    expect(liveCalls(story, part).map((one) => one.step)).toEqual(['section_1', 'section_2'])
  })

  it('stand side by side where one step asks one seat twice at once', () => {
    const orders = ['forward', 'reversed'].map((call) => ({ step: 'match_0', seat: null, model: 'j', call }))
    const usage = { promptTokens: 2, completionTokens: 3, reasoningTokens: 0 }
    const story = addEvents(EMPTY_STORY, [
      ...orders.map((order) => live('call_start', { ...order, attempt: 1 })),
      ...orders.map((order) => live('token', { ...order, text: order.call })),
      live('call_complete', { ...orders[0], responseTimeMs: 7, usage, cost: 0.5 }),
    ])
    expect(liveCalls(story, part).map((call) => [call.text, call.done])).toEqual([
      ['forward', true],
      ['reversed', false],
    ])
  })
})

it.each([
  ['stage1', 'Answers'],
  ['section_4/again', 'Sections'],
  ['debate_vote', 'Debate vote'],
])('the step %s is called %s', (step, name) => expect(stepName(step, part)).toBe(name))

it('what is missing is what the last report says', () => {
  const story = addEvents(EMPTY_STORY, [
    stored(1, opening),
    stored(2, { type: 'rag_complete', data: { degraded: true } }),
    stored(3, { type: 'x_complete', data: { degraded: false, warnings: [] } }),
  ])
  const later = [stored(4, { type: 'y_complete', data: { degraded: true, warnings: ['w'] } })]
  expect(shortfall(story)).toBeNull()
  expect(shortfall(addEvents(story, later))).toEqual(['w'])
})

describe('stages to come', () => {
  const plan = (...events: Partial<StoredEvent>[]) =>
    stagesAhead(
      {
        ...EMPTY_STORY,
        events: events.map((event, place) => ({ id: place + 2, at: place, type: '', ...event })),
      },
      {
        names: { draft: 'Draft', attack: 'Attack', judge: 'Verdict' },
        plan: ['Draft', 'Attack', 'Verdict'],
        picture: () => Promise.reject(new Error('none')),
      },
    )
  it('all are known before the first begins', () => {
    expect(plan()).toEqual(['Draft', 'Attack', 'Verdict'])
  })
  it('a round that comes again leaves only what follows it', () => {
    const rounds = [
      { type: 'attack_start', data: { round: 1 } },
      { type: 'attack_start', data: { round: 2 } },
    ]
    expect(plan({ type: 'draft_start' }, ...rounds)).toEqual(['Verdict'])
  })
  it('after the last there is none', () => {
    expect(plan({ type: 'judge_start' })).toEqual([])
  })
})
