import { describe, expect, it } from 'vitest'
import { EMPTY_STORY, addEvents, seatsOf, withoutRunningCalls } from '../../src/run/story'
import { live, opening, stored } from './events'

const call = { step: 'collect', seat: 1, model: 'a/b', call: 'c' }
const ended = {
  ...call,
  responseTimeMs: 7,
  usage: { promptTokens: 2, completionTokens: 3, reasoningTokens: 0 },
  cost: 0.5,
}

describe('a story', () => {
  it('says why a run waits while it does, and keeps nothing of that', () => {
    const warning = (code: string) => live('warning', { message: `${code}!`, code, step: null })
    const story = addEvents(EMPTY_STORY, [stored(1, opening), warning('storage')])
    expect(story.waiting).toBe('storage!')
    expect(story.notices).toEqual([])
    expect(addEvents(story, [warning('storage_back')]).waiting).toBeNull()
    expect(withoutRunningCalls(story).waiting).toBeNull()
  })

  it('is the same in one piece or event by event', () => {
    const events = [
      stored(1, opening),
      live('call_start', { ...call, attempt: 1 }),
      live('token', { ...call, text: 'Hi' }),
      live('call_complete', ended),
      stored(2, { type: 'complete' }),
    ]
    const atOnce = addEvents(EMPTY_STORY, events)
    expect(events.reduce((story, event) => addEvents(story, [event]), EMPTY_STORY)).toEqual(atOnce)
    expect(atOnce.ended).toBe(true)
  })

  it('takes no event twice, nor a call', () => {
    const events = [stored(1, opening), live('call_complete', ended), stored(2, { type: 'stage1_start' })]
    const twice = addEvents(addEvents(EMPTY_STORY, events), events)
    expect(twice.events.length).toBe(2)
    expect(twice.spending).toEqual({ calls: 1, promptTokens: 2, completionTokens: 3, cost: 0.5, unpriced: 0 })
  })

  it('forgets the words of running calls when it is joined again, and hears them anew', () => {
    const before = addEvents(EMPTY_STORY, [
      stored(1, opening),
      live('call_start', { ...call, attempt: 1 }),
      live('token', { ...call, text: 'Half a' }),
    ])
    const after = addEvents(withoutRunningCalls(before), [
      live('call_start', { ...call, attempt: 1 }),
      live('token', { ...call, text: 'Half a word' }),
    ])
    expect(after.calls.map((call) => call.text)).toEqual(['Half a word'])
  })

  it('keeps the words of a finished call once, though they are sent again to whoever comes back', () => {
    const said = [
      live('call_start', { ...call, attempt: 1 }),
      live('token', { ...call, text: 'All of it' }),
      live('call_complete', ended),
    ]
    const story = addEvents(EMPTY_STORY, [stored(1, opening), ...said])
    expect(addEvents(withoutRunningCalls(story), said).calls).toEqual(story.calls)
    expect(addEvents(EMPTY_STORY, said).calls).toEqual(story.calls)
  })

  it('voids the text of a call that is sent again', () => {
    const story = addEvents(EMPTY_STORY, [
      live('call_start', { ...call, attempt: 1 }),
      live('token', { ...call, text: 'lost' }),
      live('call_start', { ...call, attempt: 2 }),
      live('token', { ...call, text: 'kept' }),
    ])
    expect(story.calls.map((call) => call.text)).toEqual(['kept'])
  })

  it('keeps failures, warnings, the title and the error', () => {
    const story = addEvents(EMPTY_STORY, [
      stored(1, opening),
      stored(2, { type: 'model_failed', data: { ...call, kind: 'credit', reason: 'empty' } }),
      stored(3, { type: 'warning', data: { message: 'w', code: 'c', step: null } }),
      stored(4, { type: 'title_complete', data: { title: 'T' } }),
      stored(5, { type: 'error', message: 'Cancelled.' }),
    ])
    expect([story.failures.length, story.notices.length, story.title, story.error, story.ended]).toEqual([
      1,
      1,
      'T',
      'Cancelled.',
      true,
    ])
  })

  it('names the seats without any call, each by the model that is first named with it', () => {
    const answers = [
      { seat: 2, model: 'b/bo', response: 'x' },
      { seat: 1, model: 'a/ada', response: 'y' },
    ]
    const told = { verdict: { seat: 1, model: 'c/stand-in' }, chairman: { seat: null, model: 'd/dee' } }
    const story = addEvents(EMPTY_STORY, [
      stored(1, opening),
      stored(2, { type: 'stage1_complete', data: answers }),
      stored(3, { type: 'stage2_complete', data: told }),
    ])
    expect([...seatsOf(story.events)]).toEqual([
      [2, 'b/bo'],
      [1, 'a/ada'],
    ])
  })
})
