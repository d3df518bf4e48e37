import { describe, expect, test } from 'vitest'
import { type Annotation, codeUnitOffsets, findQuote, segmentsOf } from '../../src/ui/annotations'

const place = (id: string, start: number, end: number): Annotation => ({
  id,
  name: id,
  start,
  end,
  kind: 'open',
  sign: '',
  label: '',
})

describe('offsets', () => {
  test.each([
    ['abc', [0, 1, 3], [0, 1, 3]],
    ['🫖 tea', [0, 1, 2, 5], [0, 2, 3, 6]],
    ['👩‍🔬!', [3, 4], [5, 6]],
    ['ab', [9], [2]],
  ])('of characters in %j become those of a string', (text, given, wanted) => {
    expect(codeUnitOffsets(text, given)).toEqual(wanted)
  })
})

describe('a text is cut', () => {
  test('so that its pieces make it up again, whatever the places', () => {
    const text = 'one two three four'
    for (let start = 0; start < text.length; start++)
      for (let end = start; end <= text.length + 2; end++) {
        const cut = segmentsOf(text, [place('a', start, end), place('b', 4, 13), place('c', 8, 18)])
        expect(cut.map((piece) => piece.text).join('')).toBe(text)
      }
  })
  test('where places lie across one another, and each ends once', () => {
    const cut = segmentsOf('0123456789', [place('a', 2, 6), place('b', 4, 8)])
    expect(
      cut.map((piece) => [
        piece.text,
        piece.inside.map((one) => one.id).join(''),
        piece.ends.map((one) => one.id).join(''),
      ]),
    ).toEqual([
      ['01', '', ''],
      ['23', 'a', ''],
      ['45', 'ab', 'a'],
      ['67', 'b', 'b'],
      ['89', '', ''],
    ])
  })
})

describe('a quotation', () => {
  test.each([
    ['one  two\nthree', 'two three', { start: 5, end: 14 }],
    ['Is it (really)?', '(really)?', { start: 6, end: 15 }],
    ['Tea.', 'TEA', { start: 0, end: 3 }],
    ['He said “tea’s up” – twice', '"tea\'s up" - twice', { start: 8, end: 26 }],
    ['Tea.', 'coffee', null],
    ['Tea.', '  ', null],
  ])('in %j: %j', (text, quote, wanted) => {
    expect(findQuote(text, quote)).toEqual(wanted)
  })
})
