import { decimal, duration } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { SeatLabel, seatClass, shortModel } from '../../ui/seats'
import { Badge } from '../../ui/section'
import type { Events } from './wire'

type Match = Events['matchup_complete']['data']
type Answers = Events['collect_complete']['data']

export interface Player {
  contestantId: string
  seat: number | null
  model: string
}

const DECISIONS: Record<string, string> = {
  verdicts: 'by the verdicts',
  score_margin: 'on points, because the verdicts were split',
  seed: 'by seed, because neither verdicts nor scores decided it',
  identical: 'by seed, because both answers are the same',
}

/** A match from near: both answers side by side, and what was said of them in either order. */
export function MatchDetail({ match, answers }: { match: Match; answers: Answers }) {
  const text = (player: Player | null) =>
    answers.find((one) => one.contestantId === player?.contestantId)?.response
  const name = (label: string | null) =>
    label === 'Response A'
      ? shortModel(match.contestantA.model)
      : label === 'Response B'
        ? shortModel(match.contestantB?.model)
        : label === 'TIE'
          ? 'a tie'
          : 'unreadable'
  const winner = match.winner === 'Response A' ? match.contestantA : match.contestantB
  return (
    <section className="duel-near" aria-label={`Round ${match.round}, match ${match.matchIndex + 1}`}>
      <h4>
        {`Round ${match.round}: ${shortModel(match.contestantA.model)} and ${shortModel(match.contestantB?.model)}`}
      </h4>
      <p className="line">
        <SeatLabel seat={winner?.seat} model={winner?.model} />{' '}
        <span>won {DECISIONS[match.decidedBy ?? ''] ?? ''}.</span>
        {match.positionConflict && <Badge kind="fair">order changed the verdict</Badge>}
        {match.wasRetry && <Badge kind="stood">judge asked twice</Badge>}
      </p>
      {match.reasoning && (
        <p className="reason" dir="auto">
          {match.reasoning}
        </p>
      )}
      {match.judgements.length > 0 && (
        <ul className="verdicts">
          {match.judgements.map((one) => (
            <li key={one.order}>
              {one.order === 'forward'
                ? shortModel(match.contestantA.model)
                : shortModel(match.contestantB?.model)}{' '}
              read first: <strong>{name(one.verdict)}</strong>
              <span className="note">
                {' '}
                {decimal(one.scoreA)} : {decimal(one.scoreB)} · {duration(one.responseTimeMs)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="near-two">
        {answers.length > 0 &&
          [match.contestantA, match.contestantB].map(
            (player) =>
              player && (
                <div key={player.contestantId} className={`framed ${seatClass(player.seat)}`}>
                  <p className="line">
                    <SeatLabel seat={player.seat} model={player.model} />
                  </p>
                  <div
                    className="near-text"
                    tabIndex={0}
                    role="group"
                    aria-label={`Answer of ${shortModel(player.model)}`}
                  >
                    <Markdown text={text(player) ?? 'This answer was not saved.'} />
                  </div>
                </div>
              ),
          )}
      </div>
    </section>
  )
}
