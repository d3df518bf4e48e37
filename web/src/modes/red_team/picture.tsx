import { Stack } from '../../ui/bars'
import { plural, percent, duration } from '../../ui/format'
import { SeatTexts } from '../../ui/seat_texts'
import { Badge, Fold, Section } from '../../ui/section'
import { WordChange, WordDiff } from '../../ui/word_diff'
import { Markdown } from '../../ui/markdown'
import { SeatLabel } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Attack, DefenceRound, Events, Finding, Response, RulingLine } from './wire'
import { type Issue, SEVERITIES, issuesOf } from './issues'
import { ATTACKER, AUTHOR } from './roles'
import { IssueFlow } from './issue_flow'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import './picture.css'

const { last, every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesize_complete')?.data
  if (!synthesis) return null
  const risk =
    synthesis.residualRisk === 'NONE'
      ? 'no known risk is left'
      : `remaining risk: ${synthesis.residualRisk.toLowerCase()}`
  return {
    text: `${synthesis.hardenedOutput}\n\n${synthesis.auditSummary}`,
    by: `Hardened in ${plural(synthesis.totalRounds, 'round')}; ${risk}`,
  }
}

export function Picture({ story }: PictureProps) {
  const first = last(story, 'generate_complete')?.data
  const attacks = every(story, 'attack_complete').map((event) => event.data)
  const defences = new Map(every(story, 'defend_complete').map((event) => [event.data.round, event.data]))
  const synthesis = last(story, 'synthesize_complete')?.data
  const issues = issuesOf(
    attacks,
    [...defences.values()],
    synthesis?.rulings ?? [],
    synthesis?.selfJudged ?? false,
  )
  const rulings = new Map(synthesis?.rulings.map((one) => [one.id, one]) ?? [])
  return (
    <>
      {attacks.length > 0 && (
        <Section
          title="What was found, and what became of it"
          note={
            synthesis &&
            `hardening score ${synthesis.hardeningScore} of 100, ${synthesis.hardeningConfidence.toLowerCase()} confidence`
          }
        >
          {issues.length === 0 ? (
            <p className="hint">
              {attacks.some((one) => one.noFlaws)
                ? 'The attacker found no flaw.'
                : 'No finding could be read.'}
            </p>
          ) : (
            <SeverityLedger issues={issues} judged={synthesis !== undefined} />
          )}
          {issues.length > 0 && <IssueFlow issues={issues} judged={synthesis !== undefined} />}
          {synthesis?.acceptanceRate != null && (
            <p className="hint">
              The author accepted {percent(synthesis.acceptanceRate)} of the attacks it answered
              {synthesis.repeats > 0 &&
                `; ${plural(synthesis.repeats, 'finding')} came up again and counts once`}
              .{synthesis.selfJudged && ' Author and judge are the same model.'}
            </p>
          )}
        </Section>
      )}
      {attacks.map((attack) => (
        <Round
          key={attack.round}
          attack={attack}
          defence={defences.get(attack.round)}
          rulings={rulings}
          judged={synthesis !== undefined}
          before={versionBefore(attack.round, story)}
        />
      ))}
      {synthesis && synthesis.hardenedOutput !== versionBefore(Infinity, story) && (
        <Section
          title="The judge's last hand"
          note={
            <WordChange
              before={wordsIn(versionBefore(Infinity, story))}
              after={wordsIn(synthesis.hardenedOutput)}
            />
          }
        >
          <Fold title="What the judge changed, word by word">
            <WordDiff before={versionBefore(Infinity, story)} after={synthesis.hardenedOutput} />
          </Fold>
        </Section>
      )}
      {first && (
        <Section
          title="The work as it came in"
          note={
            first.fallback &&
            (first.fallback === 'generator_failed'
              ? 'as given: the author failed'
              : 'as given: the author had changed too much')
          }
        >
          <SeatTexts
            entries={[
              {
                seat: AUTHOR,
                model: first.model,
                role: 'author',
                text: first.structuredContent,
                note: duration(first.responseTimeMs),
              },
            ]}
          />
        </Section>
      )}
      {synthesis && synthesis.remainingRisks.length > 0 && (
        <Section title="What remains">
          <Markdown text={synthesis.remainingRisks.map((risk) => `- ${risk}`).join('\n')} />
        </Section>
      )}
    </>
  )
}

const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean).length

/** The version that was attacked in a round: the last one adopted before it. */
function versionBefore(round: number, story: Story): string {
  const adopted = every(story, 'defend_complete').filter(
    (event) => event.data.round < round && event.data.revisionAdopted,
  )
  return adopted.at(-1)?.data.revisedContent ?? last(story, 'generate_complete')?.data.structuredContent ?? ''
}

/** The severity ledger: all that was raised above, what is still open beneath it on the same scale. */
function SeverityLedger({ issues, judged }: { issues: Issue[]; judged: boolean }) {
  const parts = (those: Issue[], word: string) =>
    SEVERITIES.map((name) => ({
      name: `${name.toLowerCase()} ${word}`,
      count: those.filter((one) => one.severity === name).length,
      kind: name.toLowerCase(),
    }))
  return (
    <>
      <Stack label="Found" of={issues.length} parts={parts(issues, 'found')} />
      {judged && (
        <Stack
          label="Left"
          of={issues.length}
          none="none left"
          parts={parts(
            issues.filter((one) => one.outcome === 'open'),
            'left',
          )}
        />
      )}
    </>
  )
}

function Round({
  attack,
  defence,
  rulings,
  judged,
  before,
}: {
  attack: Attack
  defence: DefenceRound | undefined
  rulings: Map<string, RulingLine>
  judged: boolean
  before: string
}) {
  return (
    <Section
      title={`Round ${attack.round}`}
      note={attack.noFlaws ? 'the attacker found nothing more' : plural(attack.findings.length, 'finding')}
    >
      <div className="duel-heads">
        <p>
          <SeatLabel seat={ATTACKER} model={attack.model} role="attacker" hollow={attack.failed ?? false} />
          <span className="note"> · {attack.failed ? 'failed' : duration(attack.responseTimeMs)}</span>
        </p>
        {defence && (
          <p>
            <SeatLabel seat={AUTHOR} model={defence.model} role="author" hollow={defence.failed ?? false} />
            <span className="note">
              {' '}
              ·{' '}
              {defence.failed
                ? 'failed'
                : `${duration(defence.responseTimeMs)}, ${defence.accepted} accepted, ${defence.rebutted} rebutted`}
            </span>
          </p>
        )}
      </div>
      {attack.failed && (
        <p className="callout">The attack did not come about{attack.error ? `: ${attack.error}` : '.'}</p>
      )}
      {defence?.failed && (
        <p className="callout">
          There was no defence{defence.error ? `: ${defence.error}` : '.'} Every finding of this round stands
          unanswered.
        </p>
      )}
      <ul className="duels">
        {attack.findings.map((one) => (
          <li key={one.id} className={`duel duel-${one.severity.toLowerCase()}`}>
            <Charge one={one} />
            <Seal ruling={rulings.get(one.id)} judged={judged} />
            <Reply
              reply={defence?.responses.find((response) => response.findingId === one.id)}
              awaited={!defence && !judged}
            />
          </li>
        ))}
      </ul>
      {defence?.revisionAdopted && (
        <Fold title="What the defence changed, word by word">
          <WordDiff before={before} after={defence.revisedContent} />
        </Fold>
      )}
      {defence && !defence.revisionAdopted && defence.accepted > 0 && (
        <p className="hint">Its revision was not adopted; the version before it stands.</p>
      )}
    </Section>
  )
}

const isAbsent = (evidence: string) => /^\W*ABSENT\W*$/i.test(evidence)

function Charge({ one }: { one: Finding }) {
  return (
    <div className="attack">
      <p className="line">
        <Badge kind={one.severity.toLowerCase()}>{one.severity}</Badge>{' '}
        <strong dir="auto">{one.title}</strong>
        <span className="note">
          {one.id}
          {one.repeatOf && `, raised before as ${one.repeatOf}`}
          {!one.severityParsed && ', severity not stated'}
        </span>
      </p>
      {one.evidence && isAbsent(one.evidence) && (
        <p className="hint">There is nothing to quote: what is wrong is missing.</p>
      )}
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
  if (!reply)
    return <p className="defence note">{awaited ? 'The defence has not spoken yet.' : 'No reply.'}</p>
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
