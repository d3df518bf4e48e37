import { describe, expect, test } from 'vitest'
import { lettersIn } from '../../../src/modes/debate/letters'

describe('the answers that a reason names', () => {
  test.each([
    ['Response B is right.', ['B']],
    ['Responses A, C and D all say so.', ['A', 'C', 'D']],
    ['Response A and Response C differ; response A wins.', ['A', 'C']],
    ['I keep my response as it is.', []],
    ['My response Is fine.', []],
    ["Response B's point stands.", ['B']],
    ['', []],
    [null, []],
  ])('%s', (reasoning, letters) => expect(lettersIn(reasoning)).toEqual(letters))
})
