import { describe, expect, it } from 'vitest'
import { floorOf, shortfall, stagesOf } from '../../src/run/stages'
import { type Line, UNTOLD, rejoined, tell } from '../../src/run/story'

const opening = { type: 'vote_start', at: 0, conversationId: 'c', messageId: 'm', mode: 'vote', runId: 'r' }
const told = (id: number, event: object): Line => ({ id, event: { at: id * 10, ...event } as Line['event'] })
const live = (type: string, data: object, at = 5): Line => ({ id: null, event: { type, at, data } })
const who = { step: 'collect', seat: 1, model: 'a/b', call: 'c' }
const ended = {
  ...who,
  responseTimeMs: 7,
  usage: { promptTokens: 2, completionTokens: 3, reasoningTokens: 0 },
  cost: 0.5,
}

describe('a story', () => {
  it('is the same told at once or line by line', () => {
    const lines = [
      told(1, opening),
      live('call_start', { ...who, attempt: 1 }),
      live('token', { ...who, text: 'Hi' }),
      live('call_complete', ended),
      told(2, { type: 'complete' }),
    ]
    const atOnce = tell(UNTOLD, lines)
    expect(lines.reduce((story, line) => tell(story, [line]), UNTOLD)).toEqual(atOnce)
    expect(atOnce.ended).toBe(true)
  })

  it('takes no event twice, nor a call', () => {
    const lines = [told(1, opening), live('call_complete', ended), told(2, { type: 'stage1_start' })]
    const twice = tell(tell(UNTOLD, lines), lines)
    expect(twice.events.length).toBe(2)
    expect(twice.spent).toEqual({ calls: 1, promptTokens: 2, completionTokens: 3, cost: 0.5, unpriced: 0 })
  })

  it('forgets the words of running calls when it is joined again, and hears them anew', () => {
    const before = tell(UNTOLD, [
      told(1, opening),
      live('call_start', { ...who, attempt: 1 }),
      live('token', { ...who, text: 'Half a' }),
    ])
    const after = tell(rejoined(before), [
      live('call_start', { ...who, attempt: 1 }),
      live('token', { ...who, text: 'Half a word' }),
    ])
    expect(after.calls.map((call) => call.text)).toEqual(['Half a word'])
  })

  it('keeps the words of a finished call once, though they are sent again to whoever comes back', () => {
    const said = [
      live('call_start', { ...who, attempt: 1 }),
      live('token', { ...who, text: 'All of it' }),
      live('call_complete', ended),
    ]
    const story = tell(UNTOLD, [told(1, opening), ...said])
    expect(tell(rejoined(story), said).calls).toEqual(story.calls)
    expect(tell(UNTOLD, said).calls).toEqual(story.calls)
  })

  it('voids the text of a call that is sent again', () => {
    const story = tell(UNTOLD, [
      live('call_start', { ...who, attempt: 1 }),
      live('token', { ...who, text: 'lost' }),
      live('call_start', { ...who, attempt: 2 }),
      live('token', { ...who, text: 'kept' }),
    ])
    expect(story.calls.map((call) => call.text)).toEqual(['kept'])
  })

  it('tells apart what one step asks one seat twice at once', () => {
    const orders = ['forward', 'reversed'].map((call) => ({
      step: 'round_1_match_0',
      seat: null,
      model: 'j',
      call,
    }))
    const story = tell(UNTOLD, [
      ...orders.map((order) => live('call_start', { ...order, attempt: 1 })),
      ...orders.map((order) => live('token', { ...order, text: order.call })),
      live('call_complete', { ...ended, ...orders[0] }),
    ])
    expect(floorOf(story).map((call) => [call.text, call.done])).toEqual([
      ['forward', true],
      ['reversed', false],
    ])
  })

  it('keeps failures, warnings, the title and the error', () => {
    const story = tell(UNTOLD, [
      told(1, opening),
      told(2, { type: 'model_failed', data: { ...who, kind: 'credit', reason: 'empty' } }),
      told(3, { type: 'warning', data: { message: 'w', code: 'c', step: null } }),
      told(4, { type: 'title_complete', data: { title: 'T' } }),
      told(5, { type: 'error', message: 'Cancelled.' }),
    ])
    expect([story.failures.length, story.notices.length, story.title, story.error, story.ended]).toEqual([
      1,
      1,
      'T',
      'Cancelled.',
      true,
    ])
  })
})

describe('stages', () => {
  it('last until the next one starts', () => {
    const story = tell(UNTOLD, [
      told(1, opening),
      told(2, { type: 'stage1_start' }),
      told(5, { type: 'vote_round_start' }),
      told(9, { type: 'complete' }),
    ])
    expect(stagesOf(story).map((stage) => [stage.name, stage.from, stage.to])).toEqual([
      ['Answers', 20, 50],
      ['Votes', 50, 90],
    ])
  })

  it('show the newest group of calls, each seat once', () => {
    const call = (step: string, seat: number | null, at: number) =>
      live('call_start', { step, seat, model: 'a/b', attempt: 1 }, at)
    const story = tell(UNTOLD, [
      call('collect', 1, 1),
      call('collect', 2, 1),
      call('title', null, 2),
      call('section_2', 2, 3),
      call('section_1', 1, 3),
    ])
    expect(floorOf(story).map((one) => one.step)).toEqual(['section_1', 'section_2'])
  })

  it('say by their last word whether something is missing', () => {
    const story = tell(UNTOLD, [
      told(1, opening),
      told(2, { type: 'rag_complete', data: { degraded: true } }),
      told(3, { type: 'x_complete', data: { degraded: false, warnings: [] } }),
    ])
    expect(shortfall(story)).toBeNull()
    expect(
      shortfall(tell(story, [told(4, { type: 'y_complete', data: { degraded: true, warnings: ['w'] } })])),
    ).toEqual(['w'])
  })
})
