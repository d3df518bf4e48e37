import { type Story, eventsOf } from '../../run/story'
import { decimal, duration } from '../../ui/format'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, seatClass } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { WordDiff } from '../../ui/word_diff'
import { IssueStatus, KIND } from './issue_ledger'
import type { Events } from './wire'

const { every } = eventsOf<Events>()

type Proposal = Events['proposer_complete']['data']
type Critique = Events['skeptic_complete']['data']

/** Two lanes with the rounds between them: what is answered on the left is doubted on the right. */
export function Timeline({ story }: { story: Story }) {
  const roundStarts = every(story, 'round_start').map((event) => event.data)
  const proposals = new Map(every(story, 'proposer_complete').map((event) => [event.data.round, event.data]))
  const critiques = new Map(every(story, 'skeptic_complete').map((event) => [event.data.round, event.data]))
  if (roundStarts.length === 0) return null
  return (
    <Section title="The rounds" note={`at most ${roundStarts[0]!.maxRounds}`}>
      <ol className="timeline">
        {roundStarts.map(({ round }) => {
          const [proposal, critique] = [proposals.get(round), critiques.get(round)]
          const current = !story.ended && round === roundStarts.at(-1)!.round
          return (
            <li key={round}>
              <div
                className={`lane ${seatClass(null, proposal?.model)} ${current && !proposal ? 'at-work' : ''}`}
              >
                {proposal ? (
                  <ProposalCard proposal={proposal} before={proposals.get(round - 1)} />
                ) : (
                  <p className="hint">
                    {story.ended ? 'The proposer gave no answer.' : 'The proposer is writing.'}
                  </p>
                )}
              </div>
              <span className="bead">
                <span className="unseen">Round </span>
                {round}
              </span>
              <div
                className={`lane ${seatClass(null, critique?.model)} ${current && proposal && !critique ? 'at-work' : ''}`}
              >
                {critique ? (
                  <CritiqueCard critique={critique} />
                ) : proposal ? (
                  <p className="hint">
                    {story.ended || !current ? 'The skeptic gave no critique.' : 'The skeptic is reading.'}
                  </p>
                ) : null}
              </div>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function ProposalCard({ proposal, before }: { proposal: Proposal; before: Proposal | undefined }) {
  return (
    <>
      <p className="line">
        <SeatLabel model={proposal.model} role="proposer" />
        <span className="note">
          {proposal.confidence !== null && `confidence ${decimal(proposal.confidence, 0)} · `}
          {proposal.responseTimeMs !== null && duration(proposal.responseTimeMs)}
          {proposal.truncated && ' · cut off'}
        </span>
      </p>
      {proposal.replies.length > 0 && (
        <ul className="replies">
          {proposal.replies.map((one) => (
            <li key={one.id}>
              <strong>{one.id}</strong>{' '}
              <Badge kind={one.decision === 'ACCEPT' ? 'revised' : 'merged'}>
                {one.decision === 'ACCEPT' ? 'accepted' : 'defended'}
              </Badge>{' '}
              <span dir="auto">{one.note}</span>
            </li>
          ))}
        </ul>
      )}
      {proposal.unanswered.length > 0 && <p className="hint">Unanswered: {proposal.unanswered.join(', ')}</p>}
      <Fold title={before ? 'The revised answer' : 'The first answer'}>
        <CopyableText text={proposal.answer} />
      </Fold>
      {before && (
        <Fold title="Changes since then">
          <WordDiff before={before.answer} after={proposal.answer} />
        </Fold>
      )}
    </>
  )
}

const CritiqueCard = ({ critique }: { critique: Critique }) => (
  <>
    <p className="line">
      <SeatLabel model={critique.model} role="skeptic" />
      {critique.ready && <Badge kind="good">ready</Badge>}
      <span className="note">
        {critique.score !== null &&
          `${decimal(critique.score, Number.isInteger(critique.score) ? 0 : 1)} of 10 · `}
        {critique.responseTimeMs !== null && duration(critique.responseTimeMs)}
        {critique.truncated && ' · cut off'}
      </span>
    </p>
    {critique.contradictorySignal && (
      <p className="hint">It said it was satisfied, but also that something critical is open.</p>
    )}
    {critique.issues.length > 0 ? (
      <ul className="replies">
        {critique.issues.map((one) => (
          <li key={one.id} dir="auto">
            <Badge kind={KIND[one.severity] ?? 'stood'}>{`${one.id} ${one.severity}`}</Badge> {one.title}
          </li>
        ))}
      </ul>
    ) : (
      <p className="hint">Nothing new.</p>
    )}
    {critique.statuses.length > 0 && (
      <p className="statuses">
        {critique.statuses.map((one) => (
          <span key={one.id}>
            {one.id} <IssueStatus status={one.status} />
          </span>
        ))}
      </p>
    )}
    <Fold title="The critique">
      <CopyableText text={critique.content} />
    </Fold>
  </>
)
