import { expect, test } from 'vitest'
import { effectiveCount, percentsOf, weightsOf } from '../../../src/modes/confidence_weighted/weights'

const CONFIDENCES = [0.95, 0.85, 0.6, 0.85]

test.each([
  [1, 'softmax', [28.45, 25.75, 20.05, 25.75]],
  [0.5, 'softmax', [31.91, 26.12, 15.85, 26.12]],
  [1, 'log_odds', [59.69, 17.8, 4.71, 17.8]],
  [0.0001, 'softmax', [100, 0, 0, 0]],
])('at %d over %s', (temperature, weighting, wanted) => {
  expect(percentsOf(weightsOf(CONFIDENCES, temperature, weighting))).toEqual(wanted)
})

test('percentages add up to a hundred', () => {
  for (let count = 1; count <= 7; count++) {
    const whole = percentsOf(
      weightsOf(
        Array.from({ length: count }, (_, place) => 0.1 + place * 0.11),
        0.7,
        'softmax',
      ),
    )
    expect(Math.round(whole.reduce((sum, one) => sum + one * 100, 0))).toBe(10_000)
  }
})

test('equal weights are as many voices as there are', () => {
  expect(effectiveCount([0.25, 0.25, 0.25, 0.25])).toBe(4)
  expect(effectiveCount(weightsOf(CONFIDENCES, 1, 'softmax'))).toBeCloseTo(3.94, 2)
})
