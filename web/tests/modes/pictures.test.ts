import { describe, expect, test } from 'vitest'
import { fitted, ticks, webPath } from '../../src/ui/charts'
import { axisOf } from '../../src/modes/delphi/axis'
import { issuesOf } from '../../src/modes/red_team/issues'
import { lettersIn } from '../../src/modes/debate/letters'
import type { Attack, DefenceRound } from '../../src/api/wire'

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

describe('the marks of an axis', () => {
  test.each([
    [0, 10, [0, 2.5, 5, 7.5, 10]],
    [25.2, 94.8, [40, 60, 80]],
    [-1, 1, [-1, -0.5, 0, 0.5, 1]],
    [7, 7, [7]],
  ])('from %d to %d', (low, high, marks) => expect(ticks(low, high)).toEqual(marks))

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
])('%s fits into %d pixels', (text, pixels, seen) => expect(fitted(text, pixels)).toBe(seen))

describe('issues', () => {
  const finding = (id: string, severity: string, repeatOf: string | null = null) => ({
    id,
    title: id,
    severity,
    repeatOf,
  })
  const attack = (round: number, ...findings: object[]) => ({ round, findings }) as unknown as Attack
  const defence = (round: number, verdicts: Record<string, string | null>) =>
    ({
      round,
      responses: Object.entries(verdicts).map(([findingId, verdict]) => ({ findingId, verdict })),
    }) as unknown as DefenceRound

  test('wait for the defence, then for the judge', () => {
    const attacks = [attack(1, finding('R1-F1', 'HIGH'))]
    expect(issuesOf(attacks, [], [], false)[0]).toMatchObject({ answer: null, outcome: null })
    expect(issuesOf(attacks, [defence(1, {})], [], false)[0]).toMatchObject({
      answer: 'unaddressed',
      outcome: null,
    })
  })

  test('that come up again are one, with the gravest severity and the last word', () => {
    const attacks = [
      attack(1, finding('R1-F1', 'LOW')),
      attack(2, finding('R2-F1', 'HIGH', 'R1-F1')),
      attack(3, finding('R3-F1', 'LOW', 'R2-F1')),
    ]
    const defences = [defence(1, { 'R1-F1': 'REBUT' }), defence(2, { 'R2-F1': 'ACCEPT' }), defence(3, {})]
    const rulings = [
      { id: 'R1-F1', ruling: 'OPEN' as const, reason: null, source: 'judge' as const },
      { id: 'R3-F1', ruling: 'FIXED' as const, reason: null, source: 'judge' as const },
    ]
    expect(issuesOf(attacks, defences, rulings, false)).toEqual([
      { id: 'R1-F1', title: 'R1-F1', severity: 'HIGH', answer: 'accepted', outcome: 'fixed' },
    ])
  })

  test('that name each other do not keep the reader waiting', () => {
    expect(
      issuesOf([attack(1, finding('A', 'LOW', 'B'), finding('B', 'LOW', 'A'))], [], [], false).length,
    ).toBeGreaterThan(0)
  })

  test('rebutted and dismissed by one and the same model are contested', () => {
    const rulings = [{ id: 'R1-F1', ruling: 'DISMISSED' as const, reason: null, source: 'judge' as const }]
    const seen = issuesOf(
      [attack(1, finding('R1-F1', 'LOW'))],
      [defence(1, { 'R1-F1': 'REBUT' })],
      rulings,
      true,
    )
    expect(seen[0]?.outcome).toBe('contested')
  })
})
