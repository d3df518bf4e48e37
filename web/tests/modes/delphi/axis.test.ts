import { describe, expect, test } from 'vitest'
import { axisOf } from '../../../src/modes/delphi/axis'

describe('the axis of estimates', () => {
  test.each([
    ['a hundredfold range needs powers', [1, 100], 'RATIO', true],
    ['a narrow one does not', [30, 90], 'RATIO', false],
    ['magnitudes always do', [11_000, 18_000], 'MAGNITUDE', true],
    ['years never', [1, 2000], 'DATE', false],
    ['nothing below zero has one', [-5, 5000], 'MAGNITUDE', false],
  ])('%s', (_, values, scale, log) => {
    const axis = axisOf(values, scale)
    expect(axis.log).toBe(log)
    expect(axis.marks.length).toBeGreaterThan(1)
    for (const value of [...values, ...axis.marks]) {
      expect(axis.share(value)).toBeGreaterThanOrEqual(0)
      expect(axis.share(value)).toBeLessThanOrEqual(1)
    }
  })

  test('one value alone has room above and below', () =>
    expect(axisOf([42], 'RATIO').share(42)).toBeCloseTo(0.5))
  test('zero alone too', () => expect(axisOf([0, 0], null).share(0)).toBeCloseTo(0.5))
})
