import { describe, expect, it } from 'vitest'
import { PARTS, partOf } from '../../src/modes'
import { stagesOf } from '../../src/run/stages'
import { EMPTY_STORY } from '../../src/run/story'

const stageNames = (mode: string, ...events: object[]) => {
  const stored = events.map((event, index) => ({ id: index + 1, type: '', at: index, ...event }))
  return stagesOf({ ...EMPTY_STORY, events: stored }, partOf(mode)).map((stage) => stage.name)
}

describe('the stages of', () => {
  it('a council begin with its first event', () => {
    expect(stageNames('council', { type: 'stage1_start' }, { type: 'stage2_start' })).toEqual([
      'Answers',
      'Rankings',
    ])
  })

  it('a chain are called after their mandates', () => {
    const step = { type: 'chain_step_start', data: { mandateDisplay: 'Critique' } }
    expect(stageNames('chain', { type: 'chain_start' }, step)).toEqual(['Critique'])
  })

  it('a decomposition are its waves, not the tasks in them', () => {
    const wave = { type: 'wave_start', data: { waveNumber: 2 } }
    expect(stageNames('decompose', { type: 'decompose_start' }, wave, { type: 'task_start' })).toEqual([
      'Wave 2',
    ])
  })
})

it.each(Object.entries(PARTS))('%s has a picture that can be fetched', async (_, part) => {
  const { answer, Picture } = await part.picture()
  expect(answer(EMPTY_STORY)).toBeNull()
  expect(Picture).toBeTypeOf('function')
})

it('a mode that the page does not know is shown plainly', async () => {
  const { answer } = await partOf('a_mode_of_tomorrow').picture()
  const events = [
    { id: 2, type: 'tally_complete', at: 0, data: { answer: 'Two for tabs.\nOne for spaces.' } },
  ]
  expect(answer({ ...EMPTY_STORY, ended: true, events })?.text).toContain('Two for tabs.')
})
