import { describe, expect, it } from 'vitest'
import type { Insight, ModelInsight } from '../../src/api/wire'
import {
  barWords,
  binsOf,
  dayWords,
  defaultMeasure,
  failureWords,
  notesOf,
  spendingWords,
  sum,
} from '../../src/pages/insight_words'

const days = (count: number) =>
  Array.from({ length: count }, (_, place) =>
    new Date(Date.UTC(2026, 0, 1 + place)).toISOString().slice(0, 10),
  )
const model = (id: string, cost: number | null, calls = 4) =>
  ({ model: id, cost, calls, simulated: id.startsWith('sim/'), failures: {} }) as ModelInsight
const insight = (cost: number | null, unpriced: number, ...byModel: ModelInsight[]) =>
  ({
    totals: {
      calls: byModel.reduce((calls, one) => calls + one.calls, 0),
      cost,
      unpriced,
      promptTokens: null,
      completionTokens: null,
      deliberations: { total: 3, complete: 1, degraded: 0, failed: 2, cancelled: 0, running: 0 },
    },
    byModel,
  }) as Insight

describe('amounts', () => {
  it('are missing where nothing is known, and never a zero', () => {
    expect(sum([null, null])).toBeNull()
    expect(sum([null, 0])).toBe(0)
    expect(sum([1, null, 2])).toBe(3)
  })

  it('stand day by day, of a long period week by week, and none is lost', () => {
    const amounts = new Map(days(365).map((day) => [day, 1]))
    expect(binsOf(days(90), amounts)).toHaveLength(90)
    const weeks = binsOf(days(365), amounts)
    expect(weeks).toHaveLength(53)
    expect(weeks[0]).toEqual({ from: '2026-01-01', to: '2026-01-01', amount: 1 })
    expect(weeks.at(-1)).toEqual({ from: '2026-12-25', to: '2026-12-31', amount: 7 })
    expect(sum(weeks.map((week) => week.amount))).toBe(365)
  })

  it('are said in words for who does not see them', () => {
    const bins = binsOf(
      days(3),
      new Map([
        ['2026-01-01', 1],
        ['2026-01-03', 2],
      ]),
    )
    expect(barWords(bins, 'calls')).toBe('3, most of it 3 Jan (2)')
    expect(barWords(binsOf(days(3), new Map()), 'cost')).toBe('nothing')
    expect(dayWords('2025-11-17', '2026-11-16')).toBe('17 Nov 2025')
  })
})

describe('the opening sentence', () => {
  it.each([
    [
      insight(1.5, 0, model('a/x', 1), model('b/y', 0.5)),
      '8 calls to 2 models, which cost $1.50, $1.00 of it for x.',
    ],
    [insight(0, 0, model('sim/ada', 0)), '4 calls to 1 model, which cost nothing.'],
    [insight(null, 4, model('ollama/z', null)), '4 calls to 1 model, at an unknown price.'],
  ])('says what was spent', (figures, words) => {
    expect(spendingWords(figures)).toBe(words)
  })

  it('is followed by what it leaves out', () => {
    expect(notesOf(insight(1, 1, model('a/x', 1), model('sim/ada', 0)))).toEqual([
      '1 complete, 2 failed.',
      '1 call had no known price and is not included.',
      '4 calls went to simulated models.',
    ])
  })

  it('measures in dollars only where there are some', () => {
    expect(defaultMeasure(insight(1, 0))).toBe('cost')
    expect(defaultMeasure(insight(0, 0))).toBe('calls')
  })
})

describe('failures', () => {
  it('are counted by kind where there are several', () => {
    expect(failureWords({ ...model('a/x', 1), failures: { timeout: 3 } })).toBe('too slow')
    expect(failureWords({ ...model('a/x', 1), failures: { timeout: 3, credit: 1 } })).toBe(
      '3 too slow, 1 no credit',
    )
  })
})
