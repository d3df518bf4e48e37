import { expect, test } from 'vitest'
import { answer } from '../../../src/modes/red_team/picture'
import type { Story } from '../../../src/run/story'

const byline = (residualRisk: string, remainingRisks: string[]) => {
  const data = { hardenedOutput: '', auditSummary: '', totalRounds: 2, residualRisk, remainingRisks }
  return answer({ events: [{ id: 2, type: 'synthesize_complete', data }] } as unknown as Story)?.by
}

test('a risk that the judge lists is never called none', () => {
  expect(byline('NONE', [])).toBe('Hardened in 2 rounds; no finding left open')
  expect(byline('NONE', ['One server.'])).toBe(
    'Hardened in 2 rounds; no finding left open; 1 risk noted by the judge',
  )
  expect(byline('HIGH', [])).toBe('Hardened in 2 rounds; highest open risk: high')
})
