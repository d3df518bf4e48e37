import { Badge, Fold, Part, Stack, Texts, WordDiff, seconds, words } from '../parts'
import { Markdown } from '../Markdown'
import { Who } from '../seats'
import { every, last } from '../story'
import type { ModePart } from './part'

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const

export const redTeam: ModePart = {
  answer(story) {
    const made = last(story, 'red_team', 'synthesize_complete')?.data
    if (!made) return null
    return { text: `${made.hardenedOutput}\n\n${made.auditSummary}`, by: `Hardened in ${made.totalRounds} rounds; remaining risk: ${words(String(made.residualRisk).toLowerCase())}` }
  },
  Picture({ story }) {
    const first = last(story, 'red_team', 'generate_complete')?.data
    const attacks = every(story, 'red_team', 'attack_complete').map((event) => event.data)
    const defences = new Map(every(story, 'red_team', 'defend_complete').map((event) => [event.data.round, event.data]))
    const made = last(story, 'red_team', 'synthesize_complete')?.data
    const ruled = new Map(made?.rulings.map((one) => [one.id, one]) ?? [])
    const open = attacks.flatMap((attack) => attack.findings).filter((one) => ruled.get(one.id)?.ruling === 'OPEN')
    return (
      <>
        {made && (
          <Part title="Before and after" note={`hardening score ${made.hardeningScore ?? '–'} of 100`}>
            <Stack label="Found" parts={SEVERITIES.map((name) => ({ name: `${name} found`, count: made.severityCounts[name], kind: name }))} />
            <Stack label="Left" none="none left" parts={SEVERITIES.map((name) => ({ name: `${name} left`, count: open.filter((one) => one.severity.toLowerCase() === name).length, kind: name }))} />
          </Part>
        )}
        {attacks.map((attack) => {
          const defence = defences.get(attack.round)
          return (
            <Part key={attack.round} title={`Round ${attack.round}`} note={attack.noFlaws ? 'the attacker found nothing more' : undefined}>
              <p className="line">
                <Who seat={2} model={attack.model} role="attacker" /> {defence && <Who seat={1} model={defence.model} role="author" />}
              </p>
              {attack.findings.map((one) => {
                const reply = defence?.responses.find((response) => response.findingId === one.id)
                const ruling = ruled.get(one.id)
                return (
                  <div className="duel" key={one.id}>
                    <div className="attack">
                      <p className="line">
                        <Badge kind={one.severity.toLowerCase()}>{one.severity}</Badge> <strong>{one.title}</strong>
                      </p>
                      {one.evidence && <blockquote className={one.evidenceVerified ? '' : 'unverified'}>{one.evidence}{!one.evidenceVerified && ' (not found in the work)'}</blockquote>}
                      <p>{one.vulnerability}</p>
                    </div>
                    <div className="seal">{ruling ? <Badge kind={ruling.ruling === 'FIXED' || ruling.ruling === 'DISMISSED' ? 'good' : 'fair'}>{ruling.ruling}</Badge> : <span className="note">no ruling</span>}</div>
                    <div className="defence">
                      {reply ? (
                        <>
                          <p className="line">
                            <Badge kind={reply.verdict === 'ACCEPT' ? 'revised' : reply.verdict === 'REBUT' ? 'merged' : 'stood'}>{reply.verdict}</Badge>
                          </p>
                          <p>{reply.reasoning}</p>
                        </>
                      ) : (
                        <p className="note">No reply.</p>
                      )}
                    </div>
                  </div>
                )
              })}
              {defence?.revisionAdopted && first && (
                <Fold title="What the defence changed, word by word">
                  <WordDiff before={before(attack.round)} after={defence.revisedContent ?? ''} />
                </Fold>
              )}
            </Part>
          )
        })}
        {first && (
          <Part title="The work as it came in">
            <Texts entries={[{ seat: 1, model: first.model, role: 'author', text: first.structuredContent, note: seconds(first.responseTimeMs) }]} />
          </Part>
        )}
        {made && made.remainingRisks.length > 0 && (
          <Part title="What remains">
            <Markdown text={made.remainingRisks.map((risk) => `- ${risk}`).join('\n')} />
          </Part>
        )}
      </>
    )

    function before(round: number): string {
      const earlier = [...defences.values()].filter((one) => one.round < round && one.revisionAdopted).pop()
      return earlier?.revisedContent ?? first?.structuredContent ?? ''
    }
  },
}
