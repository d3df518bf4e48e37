import { describe, expect, it } from 'vitest'
import { requestOf } from '../../src/ask/ask'
import { seatCount } from '../../src/ask/schema'
import { plainPart } from '../../src/run/picture'

const jury = { ...plainPart, text: { field: 'content', label: '', placeholder: '' } }
const check = { ...plainPart, text: { ...jury.text, question: 'Check it.' } }

describe('what is sent', () => {
  it('is the text itself where a mode judges its question', () => {
    expect(requestOf('', { content: 'A text.', seats: 2 }, jury)).toEqual({
      question: 'A text.',
      config: { seats: 2 },
    })
  })
  it('is the text with words of the mode where it needs a question', () => {
    const config = { content: 'A text.' }
    expect(requestOf(' ', config, check)).toEqual({ question: 'Check it.', config })
  })
  it('is both where there are both', () => {
    const config = { content: 'A text.' }
    expect(requestOf('Is it clear?', config, jury)).toEqual({ question: 'Is it clear?', config })
  })
})

describe('seats', () => {
  const model = { type: 'string', format: 'model' }
  const seats = { type: 'array', items: model, minItems: 2, maxItems: 6 }
  it('are counted apart from the roles', () => {
    expect(seatCount({ properties: { seats, chair: { ...model, title: 'Chairman' } } })).toBe(
      '2–6 seats + chairman',
    )
  })
  it('are named where there are only roles', () => {
    const properties = { a: { ...model, title: 'Author' }, b: { ...model, title: 'Attacker' } }
    expect(seatCount({ properties })).toBe('author, attacker')
  })
})
