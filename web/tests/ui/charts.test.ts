import { describe, expect, test } from 'vitest'
import { ticks, truncate, webPath } from '../../src/ui/charts'

describe('the marks of an axis', () => {
  test.each([
    [0, 10, [0, 2.5, 5, 7.5, 10]],
    [25.2, 94.8, [40, 60, 80]],
    [-1, 1, [-1, -0.5, 0, 0.5, 1]],
    [7, 7, [7]],
  ])('from %d to %d', (low, high, marks) => expect(ticks(low, high)).toEqual(marks))
})

describe('a web', () => {
  const at = (place: number, score: number) => [place, score] as const
  test.each([
    [[1, 2, 3], 'M0 1L1 2L2 3z'],
    [[1, null, 3], 'M0 1M2 3L0 1'],
    [[null, null, 3], 'M2 3'],
    [[null, null, null], ''],
  ])('of %j', (scores, path) => expect(webPath(scores, at)).toBe(path))
})

test.each([
  ['short', 100, 'short'],
  ['somewhat longer', 60, 'somewha…'],
  ['anything', 5, ''],
])('%s fits into %d pixels', (text, pixels, seen) => expect(truncate(text, pixels)).toBe(seen))
