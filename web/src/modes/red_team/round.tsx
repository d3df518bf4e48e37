import { SecondOpinion } from '../../run/second_opinion'
import { duration, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { SeatLabel } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { WordDiff } from '../../ui/word_diff'
import type { Attack, AttackFinding as Finding, DefenceRound, Response, RulingLine } from './wire'

export function Round({
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
      <SecondOpinion opinion={attack.secondOpinion} />
      <div className="duel-heads">
        <p>
          <SeatLabel model={attack.model} role="attacker" hollow={attack.failed ?? false} />
          <span className="note"> · {attack.failed ? 'failed' : duration(attack.responseTimeMs)}</span>
        </p>
        {defence && (
          <p>
            <SeatLabel model={defence.model} role="author" hollow={defence.failed ?? false} />
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
        <p className="callout">The attack failed{attack.error ? `: ${attack.error}` : '.'}</p>
      )}
      {defence?.failed && (
        <p className="callout">
          There was no defence{defence.error ? `: ${defence.error}` : '.'} All findings of this round are
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
        <Fold title="The defence’s changes">
          <WordDiff before={before} after={defence.revisedContent} />
        </Fold>
      )}
      {defence && !defence.revisionAdopted && defence.accepted > 0 && (
        <p className="hint">Its revision was not adopted; the previous version stands.</p>
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
        <p className="hint">Nothing to quote: the problem is something that is missing.</p>
      )}
      {one.evidence && !isAbsent(one.evidence) && (
        <blockquote className={one.evidenceVerified === false ? 'unverified' : ''} dir="auto">
          {one.evidence}
          {one.evidenceVerified === false && <span className="note"> (not found in the work)</span>}
        </blockquote>
      )}
      <Markdown text={one.vulnerability} />
      {(one.exploitScenario || one.location) && (
        <Fold title="Where it is and how it could be exploited">
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
      {ruling.source === 'default' && <span className="note">default ruling</span>}
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
  if (!reply) return <p className="defence note">{awaited ? 'Waiting for the defence.' : 'No reply.'}</p>
  return (
    <div className="defence">
      <p className="line">
        <Badge kind={VERDICTS[reply.verdict ?? ''] ?? 'stood'}>{reply.verdict ?? 'UNADDRESSED'}</Badge>
      </p>
      {reply.reasoning && <Markdown text={reply.reasoning} />}
      {reply.revision && (
        <Fold title="Proposed change">
          <Markdown text={reply.revision} />
        </Fold>
      )}
    </div>
  )
}
