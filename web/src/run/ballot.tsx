// Ballots as vote and debate show them: a mark for every vote where it fell, names on demand, reasons to unfold.

import { type ReactNode, useState } from 'react'
import type { VoteResponse } from '../api/wire'
import { plural } from '../ui/format'
import { type SeatText, SeatTexts, bySeat } from '../ui/seat_texts'
import { SeatLabel, Sign, seatClass, shortModel } from '../ui/seats'
import { Badge, Switch } from '../ui/section'
import { failureTexts } from './failures'
import type { Failure } from './story'
import './ballot.css'

interface Count {
  votes: VoteResponse[]
  tallies: Record<string, number>
  validVoteCount: number
  tiedLabels: string[]
  labelToSeat: Record<string, number | null>
}

/** That votes for equal answers were counted together, after the winner's figure. */
export const pooledNote = ({ pooled }: { pooled?: string[] }) =>
  pooled ? `, for ${pooled.length} answers that say the same` : ''

export function Ballot({
  count,
  models,
  winner,
  pooled = [],
  silent,
}: {
  count: Count
  models: Record<string, string>
  winner?: string | undefined
  pooled?: readonly string[] | undefined
  silent: readonly Failure[]
}) {
  const [showNames, setShowNames] = useState(true)
  const { votes, labelToSeat: seats } = count
  const unreadable = votes.filter((vote) => !vote.votedFor)
  return (
    <>
      <p className="line">
        <Switch on={showNames} set={setShowNames}>
          {showNames ? 'Hide who wrote what' : 'Show who wrote what'}
        </Switch>
        {count.validVoteCount === 0 && <strong>No vote could be counted.</strong>}
      </p>
      <ul className="ballot" aria-label="Votes per response">
        {Object.keys(models)
          .sort()
          .map((label) => (
            <Row
              key={label}
              seat={showNames ? seats[label] : null}
              label={showNames ? <SeatLabel seat={seats[label]} model={models[label]} role={label} /> : label}
              voters={votes.filter((vote) => vote.votedFor === label)}
              figure={plural(count.tallies[label] ?? 0, 'vote')}
              mark={
                label === winner ? (
                  <Badge kind="won">winner</Badge>
                ) : pooled.includes(label) ? (
                  <Badge kind="won">says the same</Badge>
                ) : count.tiedLabels.includes(label) ? (
                  <Badge kind="fair">tied</Badge>
                ) : null
              }
              isWinner={label === winner}
            />
          ))}
        {unreadable.length > 0 && (
          <Row
            label="Could not be read"
            voters={unreadable}
            hollow
            figure={plural(unreadable.length, 'vote')}
          />
        )}
      </ul>
      <SeatTexts entries={bySeat([...votes.map(reason), ...failureTexts(silent, 'no vote')])} />
    </>
  )

  function reason(vote: VoteResponse): SeatText {
    const own = vote.votedFor && seats[vote.votedFor] === vote.seat
    const whose = showNames && vote.votedFor && (
      <>
        {' '}
        <Sign seat={seats[vote.votedFor]} size={11} /> {own ? 'its own' : shortModel(models[vote.votedFor])}
      </>
    )
    return {
      seat: vote.seat,
      model: vote.model,
      text: vote.voteText,
      lines: true,
      note: vote.votedFor ? (
        <>
          voted for {vote.votedFor}
          {whose}
        </>
      ) : (
        'could not be read'
      ),
    }
  }
}

/** A response and the voters who stand behind it, each by its sign. */
function Row({
  seat,
  label,
  voters,
  figure,
  mark,
  isWinner = false,
  hollow = false,
}: {
  seat?: number | null | undefined
  label: ReactNode
  voters: VoteResponse[]
  figure: string
  mark?: ReactNode
  isWinner?: boolean
  hollow?: boolean
}) {
  return (
    <li className={`${isWinner ? 'won' : ''} ${seatClass(seat)}`}>
      <span className="ballot-label">{label}</span>
      <span className="ballot-votes">
        {voters.map((vote) => (
          <span
            key={vote.seat}
            className={`cast ${seatClass(vote.seat)}`}
            title={`${vote.model}, seat ${vote.seat}`}
          >
            <Sign seat={vote.seat} size={16} hollow={hollow} />
            <span className="unseen">{shortModel(vote.model)} </span>
          </span>
        ))}
      </span>
      <span className="ballot-figure">
        {figure} {mark}
      </span>
    </li>
  )
}
