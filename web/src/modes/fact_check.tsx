import type { ReactNode } from 'react'
import { Badge, Fold, Part, figure, many, percent } from '../parts'
import { Sign, Who } from '../seats'
import { every, last } from '../story'
import type { ModeEvents } from '../wire'
import type { ModePart } from './part'

type Claim = ModeEvents['fact_check']['extract_complete']['data']['claims'][number]

const KIND: Record<string, string> = { VERIFIED: 'good', DISPUTED: 'bad', UNVERIFIABLE: 'stood' }
const MARK: Record<string, string> = { VERIFIED: '✓', DISPUTED: '✗', UNVERIFIABLE: '?' }

export const factCheck: ModePart = {
  answer(story) {
    const done = last(story, 'fact_check', 'report_complete')?.data
    return done ? { text: done.report, by: done.reliabilityScore == null ? 'Reliability: n/a' : `Reliability ${figure(done.reliabilityScore, 0)} of 100 (${done.band}), ${percent(done.coverage)} of claims decided` } : null
  },
  Picture({ story }) {
    const generated = last(story, 'fact_check', 'generate_complete')?.data
    const start = last(story, 'fact_check', 'extract_start')?.data
    const extracted = last(story, 'fact_check', 'extract_complete')?.data
    const checkers = every(story, 'fact_check', 'checker_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    const agreed = new Map(last(story, 'fact_check', 'all_checkers_complete')?.data.consensus.map((one) => [one.claimId, one]) ?? [])
    const content = generated?.content ?? start?.content
    if (!extracted) return null
    return (
      <>
        {content && (
          <Part title="The text, claim by claim" note={many(extracted.totalClaims, 'claim')}>
            <div className="annotated" dir="auto">
              {annotated(content, extracted.claims, (id) => agreed.get(id)?.consensusVerdict)}
            </div>
          </Part>
        )}
        <Part title="The claims">
          {extracted.claims.map((claim, place) => {
            const one = agreed.get(claim.id)
            return (
              <Fold
                key={claim.id}
                title={
                  <>
                    {place + 1}. {claim.claim}
                  </>
                }
                note={
                  <>
                    {checkers.map((checker) => {
                      const said = checker.verifications.find((entry) => entry.claimId === claim.id)?.verdict
                      return (
                        <span key={checker.seat} className="dot" title={`seat ${checker.seat}: ${said ?? 'nothing'}`}>
                          <Sign seat={checker.seat} size={11} />
                          {MARK[said ?? ''] ?? '·'}
                        </span>
                      )
                    })}{' '}
                    {one && <Badge kind={KIND[one.consensusVerdict] ?? 'stood'}>{one.consensusVerdict}</Badge>}
                  </>
                }
              >
                {one?.correction && <p className="callout">{one.correction}</p>}
                {checkers.map((checker) => {
                  const entry = checker.verifications.find((other) => other.claimId === claim.id)
                  return (
                    <p key={checker.seat}>
                      <Who seat={checker.seat} model={checker.model} /> {entry ? `${entry.verdict.toLowerCase()}, ${entry.confidence.toLowerCase()} confidence. ${entry.evidence ?? ''}` : 'said nothing of it.'}
                    </p>
                  )
                })}
              </Fold>
            )
          })}
          <p className="hint">The checkers answer from what they know; no sources were consulted by moot itself.</p>
        </Part>
      </>
    )
  },
}

/** The text with every claim underlined and numbered where it stands. */
function annotated(text: string, claims: Claim[], verdict: (id: string) => string | undefined): ReactNode[] {
  const parts: ReactNode[] = []
  let from = 0
  const placed = claims.map((claim, place) => ({ ...claim, number: place + 1 })).filter((claim) => claim.start != null && claim.end != null)
  for (const claim of placed.sort((a, b) => a.start! - b.start!)) {
    if (claim.start! < from) continue
    parts.push(text.slice(from, claim.start!))
    const said = verdict(claim.id)
    parts.push(
      <mark key={claim.id} className={`claim claim-${KIND[said ?? ''] ?? 'open'}`}>
        {text.slice(claim.start!, claim.end!)}
        <sup>
          {claim.number} {MARK[said ?? ''] ?? ''}
        </sup>
      </mark>,
    )
    from = claim.end!
  }
  parts.push(text.slice(from))
  return parts
}
