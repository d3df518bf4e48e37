import { Badge, Fold, Part, Stack, Texts, WordChange, WordDiff, many, percent, seconds } from '../parts'
import { Markdown } from '../Markdown'
import { Who } from '../seats'
import { type Story, every, last } from '../story'
import type { Attack, DefenceRound, AttackFinding as Finding, Response, RulingLine } from '../wire'
import { type Issue, SEVERITIES, issuesOf } from './issues'
import { IssueFlow } from './issue_flow'
import type { ModePart } from './part'
import './red_team.css'

const AUTHOR = 1
const ATTACKER = 2

export const redTeam: ModePart = {
  seatOf: (step) => (/^(generate|defend)/.test(step) ? AUTHOR : /^attack/.test(step) ? ATTACKER : null),
  answer(story) {
    const made = last(story, 'red_team', 'synthesize_complete')?.data
    if (!made) return null
    const risk = made.residualRisk === 'NONE' ? 'no known risk is left' : `remaining risk: ${made.residualRisk.toLowerCase()}`
    return { text: `${made.hardenedOutput}\n\n${made.auditSummary}`, by: `Hardened in ${many(made.totalRounds, 'round')}; ${risk}` }
  },
  Picture({ story }) {
    const first = last(story, 'red_team', 'generate_complete')?.data
    const attacks = every(story, 'red_team', 'attack_complete').map((event) => event.data)
    const defences = new Map(every(story, 'red_team', 'defend_complete').map((event) => [event.data.round, event.data]))
    const made = last(story, 'red_team', 'synthesize_complete')?.data
    const issues = issuesOf(attacks, [...defences.values()], made?.rulings ?? [], made?.selfJudged ?? false)
    const ruled = new Map(made?.rulings.map((one) => [one.id, one]) ?? [])
    return (
      <>
        {attacks.length > 0 && (
          <Part title="What was found, and what became of it" note={made && `hardening score ${made.hardeningScore} of 100, ${made.hardeningConfidence.toLowerCase()} confidence`}>
            {issues.length === 0 ? <p className="hint">{attacks.some((one) => one.noFlaws) ? 'The attacker found no flaw.' : 'No finding could be read.'}</p> : <Before issues={issues} judged={made !== undefined} />}
            {issues.length > 0 && <IssueFlow issues={issues} judged={made !== undefined} />}
            {made?.acceptanceRate != null && (
              <p className="hint">
                The author accepted {percent(made.acceptanceRate)} of the attacks it answered{made.repeats > 0 && `; ${many(made.repeats, 'finding')} came up again and counts once`}.
                {made.selfJudged && ' Author and judge are the same model.'}
              </p>
            )}
          </Part>
        )}
        {attacks.map((attack) => (
          <Duel key={attack.round} attack={attack} defence={defences.get(attack.round)} ruled={ruled} judged={made !== undefined} before={versionBefore(attack.round, story)} />
        ))}
        {made && made.hardenedOutput !== versionBefore(Infinity, story) && (
          <Part title="The judge's last hand" note={<WordChange before={wordsIn(versionBefore(Infinity, story))} after={wordsIn(made.hardenedOutput)} />}>
            <Fold title="What the judge changed, word by word">
              <WordDiff before={versionBefore(Infinity, story)} after={made.hardenedOutput} />
            </Fold>
          </Part>
        )}
        {first && (
          <Part title="The work as it came in" note={first.fallback && (first.fallback === 'generator_failed' ? 'as given: the author failed' : 'as given: the author had changed too much')}>
            <Texts entries={[{ seat: AUTHOR, model: first.model, role: 'author', text: first.structuredContent, note: seconds(first.responseTimeMs) }]} />
          </Part>
        )}
        {made && made.remainingRisks.length > 0 && (
          <Part title="What remains">
            <Markdown text={made.remainingRisks.map((risk) => `- ${risk}`).join('\n')} />
          </Part>
        )}
      </>
    )
  },
}

const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean).length

/** The version that was attacked in a round: the last one adopted before it. */
function versionBefore(round: number, story: Story): string {
  const adopted = every(story, 'red_team', 'defend_complete').filter((event) => event.data.round < round && event.data.revisionAdopted)
  return adopted.at(-1)?.data.revisedContent ?? last(story, 'red_team', 'generate_complete')?.data.structuredContent ?? ''
}

/** The severity ledger: all that was raised above, what is still open beneath it on the same scale. */
function Before({ issues, judged }: { issues: Issue[]; judged: boolean }) {
  const parts = (those: Issue[], word: string) => SEVERITIES.map((name) => ({ name: `${name.toLowerCase()} ${word}`, count: those.filter((one) => one.severity === name).length, kind: name.toLowerCase() }))
  return (
    <>
      <Stack label="Found" of={issues.length} parts={parts(issues, 'found')} />
      {judged && <Stack label="Left" of={issues.length} none="none left" parts={parts(issues.filter((one) => one.outcome === 'open'), 'left')} />}
    </>
  )
}

function Duel({ attack, defence, ruled, judged, before }: { attack: Attack; defence: DefenceRound | undefined; ruled: Map<string, RulingLine>; judged: boolean; before: string }) {
  return (
    <Part title={`Round ${attack.round}`} note={attack.noFlaws ? 'the attacker found nothing more' : many(attack.findings.length, 'finding')}>
      <div className="duel-heads">
        <p>
          <Who seat={ATTACKER} model={attack.model} role="attacker" hollow={attack.failed ?? false} />
          <span className="note"> · {attack.failed ? 'failed' : seconds(attack.responseTimeMs)}</span>
        </p>
        {defence && (
          <p>
            <Who seat={AUTHOR} model={defence.model} role="author" hollow={defence.failed ?? false} />
            <span className="note"> · {defence.failed ? 'failed' : `${seconds(defence.responseTimeMs)}, ${defence.accepted} accepted, ${defence.rebutted} rebutted`}</span>
          </p>
        )}
      </div>
      {attack.failed && <p className="callout">The attack did not come about{attack.error ? `: ${attack.error}` : '.'}</p>}
      {defence?.failed && <p className="callout">There was no defence{defence.error ? `: ${defence.error}` : '.'} Every finding of this round stands unanswered.</p>}
      <ul className="duels">
        {attack.findings.map((one) => (
          <li key={one.id} className={`duel duel-${one.severity.toLowerCase()}`}>
            <Charge one={one} />
            <Seal ruling={ruled.get(one.id)} judged={judged} />
            <Reply reply={defence?.responses.find((response) => response.findingId === one.id)} awaited={!defence && !judged} />
          </li>
        ))}
      </ul>
      {defence?.revisionAdopted && (
        <Fold title="What the defence changed, word by word">
          <WordDiff before={before} after={defence.revisedContent} />
        </Fold>
      )}
      {defence && !defence.revisionAdopted && defence.accepted > 0 && <p className="hint">Its revision was not adopted; the version before it stands.</p>}
    </Part>
  )
}

const isAbsent = (evidence: string) => /^\W*ABSENT\W*$/i.test(evidence)

function Charge({ one }: { one: Finding }) {
  return (
    <div className="attack">
      <p className="line">
        <Badge kind={one.severity.toLowerCase()}>{one.severity}</Badge> <strong dir="auto">{one.title}</strong>
        <span className="note">
          {one.id}
          {one.repeatOf && `, raised before as ${one.repeatOf}`}
          {!one.severityParsed && ', severity not stated'}
        </span>
      </p>
      {one.evidence && isAbsent(one.evidence) && <p className="hint">There is nothing to quote: what is wrong is missing.</p>}
      {one.evidence && !isAbsent(one.evidence) && (
        <blockquote className={one.evidenceVerified === false ? 'unverified' : ''} dir="auto">
          {one.evidence}
          {one.evidenceVerified === false && <span className="note"> (not found in the work)</span>}
        </blockquote>
      )}
      <Markdown text={one.vulnerability} />
      {(one.exploitScenario || one.location) && (
        <Fold title="Where, and how it could be used">
          <p dir="auto">
            <strong>Where:</strong> {one.location}
          </p>
          <Markdown text={one.exploitScenario} />
        </Fold>
      )}
    </div>
  )
}

const SEALS: Record<string, string> = { FIXED: 'good', DISMISSED: 'stood', OPEN: 'bad' }

/** The judge's word, on the line between the two. */
function Seal({ ruling, judged }: { ruling: RulingLine | undefined; judged: boolean }) {
  if (!ruling) return <div className="seal pending">{judged ? 'no ruling' : 'not judged yet'}</div>
  return (
    <div className={`seal seal-${SEALS[ruling.ruling]}`}>
      <strong>{ruling.ruling}</strong>
      {ruling.source === 'default' && <span className="note">by rule</span>}
      {ruling.reason && (
        <span className="note" dir="auto">
          {ruling.reason}
        </span>
      )}
    </div>
  )
}

const VERDICTS: Record<string, string> = { ACCEPT: 'revised', REBUT: 'merged' }

function Reply({ reply, awaited }: { reply: Response | undefined; awaited: boolean }) {
  if (!reply) return <p className="defence note">{awaited ? 'The defence has not spoken yet.' : 'No reply.'}</p>
  return (
    <div className="defence">
      <p className="line">
        <Badge kind={VERDICTS[reply.verdict ?? ''] ?? 'stood'}>{reply.verdict ?? 'UNADDRESSED'}</Badge>
      </p>
      {reply.reasoning && <Markdown text={reply.reasoning} />}
      {reply.revision && (
        <Fold title="What it offers instead">
          <Markdown text={reply.revision} />
        </Fold>
      )}
    </div>
  )
}
