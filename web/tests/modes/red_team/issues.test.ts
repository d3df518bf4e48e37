import { describe, expect, test } from 'vitest'
import { issuesOf } from '../../../src/modes/red_team/issues'
import type { Attack, DefenceRound } from '../../../src/modes/red_team/wire'

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
