import { Badge, Fold, Part, Stack, Texts, WordChange, WordDiff, seconds } from '../parts'
import { Markdown } from '../Markdown'
import { Who, seatClass, signPath } from '../seats'
import { last } from '../story'
import type { ModeEvents } from '../wire'
import { Ballot } from './ballot'
import type { ModePart } from './part'

type Revision = ModeEvents['debate']['revision_complete']['data']['revisions'][number]

const SAID: Record<string, [kind: string, word: string]> = {
  REVISE: ['revised', 'REVISED'],
  MERGE: ['merged', 'MERGED'],
  STAND: ['stood', 'STOOD'],
}

export const debate: ModePart = {
  answer(story) {
    const won = last(story, 'debate', 'winner_declared')?.data
    if (!won) return null
    const by = (
      <>
        Winner: <Who seat={won.winnerSeat} model={won.winnerModel} /> <Decision word={won.winnerDecision} /> with {won.voteCount} of {won.totalVotes} votes
        {won.tiebroken && ', after a tie'}
      </>
    )
    return { text: won.winnerResponse, by }
  },
  Picture({ story }) {
    const answers = last(story, 'debate', 'round1_complete')?.data
    const dealt = last(story, 'debate', 'revision_start')?.data
    const revised = last(story, 'debate', 'revision_complete')?.data
    const round = last(story, 'debate', 'vote_complete')?.data
    const won = last(story, 'debate', 'winner_declared')?.data
    return (
      <>
        {revised && (
          <Part title="Who changed their mind">
            <Stack
              label="Decisions"
              parts={[
                { name: 'revised', count: revised.summary.revised, kind: 'revised' },
                { name: 'merged', count: revised.summary.merged, kind: 'merged' },
                { name: 'stood', count: revised.summary.stood, kind: 'stood' },
                { name: 'unreadable', count: revised.summary.parseFailed, kind: 'failed' },
              ]}
            />
            {dealt && <Influence revisions={revised.revisions} seats={dealt.labelToSeat} />}
            <div className="texts">
              {revised.revisions.map((one) => (
                <RevisionCard key={one.seat} one={one} />
              ))}
            </div>
          </Part>
        )}
        {round && (
          <Part title="The vote on what they then said">
            <Ballot votes={round.votes} tallies={round.tallies} seats={round.labelToSeat} models={round.revisedLabelToModel} winner={won?.winnerLabel} invalid={round.invalidVoteCount} />
          </Part>
        )}
        {answers && (
          <Part title="First answers">
            <Texts entries={answers.map((one) => ({ seat: one.seat, model: one.model, text: one.response, note: seconds(one.responseTimeMs) }))} />
          </Part>
        )}
      </>
    )
  },
}

const Decision = ({ word }: { word: string | null | undefined }) => {
  const [kind, said] = SAID[word ?? ''] ?? ['failed', 'NO DECISION']
  return <Badge kind={kind}>{said}</Badge>
}

function RevisionCard({ one }: { one: Revision }) {
  return (
    <div className={`framed card ${seatClass(one.seat)}`}>
      <p className="line">
        <Who seat={one.seat} model={one.model} /> <Decision word={one.decision} />
        <span className="note">
          <WordChange before={one.originalWordCount} after={one.revisedWordCount} />
        </span>
      </p>
      {one.reasoning && <p className="reason">{one.reasoning}</p>}
      {one.revisedResponse !== one.originalResponse && (
        <Fold title="What changed, word by word">
          <WordDiff before={one.originalResponse} after={one.revisedResponse} />
        </Fold>
      )}
      <Fold title="Its answer now">
        <Markdown text={one.revisedResponse} />
      </Fold>
    </div>
  )
}

/** Whose answers a seat names in its reasons, if it then changed its own. */
function Influence({ revisions, seats }: { revisions: Revision[]; seats: Record<string, number | null> }) {
  const flows = revisions
    .filter((one) => one.decision === 'REVISE' || one.decision === 'MERGE')
    .flatMap((one) =>
      Object.entries(seats)
        .filter(([label, seat]) => seat !== one.seat && new RegExp(`\\b${label}\\b`).test(one.reasoning ?? ''))
        .flatMap(([, seat]) => (seat === null ? [] : [{ from: seat, to: one.seat }])),
    )
  if (flows.length === 0) return null
  const row = 34
  const order = revisions.map((one) => one.seat)
  const y = (seat: number) => 20 + order.indexOf(seat) * row
  const said = flows.map(({ from, to }) => `seat ${from} moved seat ${to}`).join(', ')
  const sign = (seat: number, x: number) => (
    <g key={`${x}${seat}`} className={seatClass(seat)} transform={`translate(${x} ${y(seat) - 8})`}>
      <path className="sign-shape" d={signPath(seat)} fillRule="evenodd" />
    </g>
  )
  return (
    <figure className="flow">
      <svg viewBox={`0 0 260 ${order.length * row + 6}`} role="img" aria-label={`Influence: ${said}`}>
        {flows.map(({ from, to }) => (
          <path key={`${from}${to}`} className={`flow-line ${seatClass(from)}`} d={`M54 ${y(from)}C130 ${y(from)} 130 ${y(to)} 200 ${y(to)}`} />
        ))}
        {order.map((seat) => sign(seat, 32))}
        {order.map((seat) => sign(seat, 206))}
      </svg>
      <figcaption>Left: whose answer was named as the reason. Right: who changed.</figcaption>
    </figure>
  )
}
