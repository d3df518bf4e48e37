// Ballots as vote and debate show them: bars by letter, names on demand, reasons to unfold.

import { useState } from 'react'
import { Bars, Badge, Switch, Texts, many } from '../parts'
import { Sign, Who, shortModel } from '../seats'

interface Vote {
  seat: number
  model: string
  voteText: string
  votedFor: string | null
}

export function Ballot({ votes, tallies, seats, models, winner, invalid }: { votes: Vote[]; tallies: Record<string, number>; seats: Record<string, number | null>; models: Record<string, string>; winner?: string | undefined; invalid: number }) {
  const [named, setNamed] = useState(false)
  const labels = Object.keys(models).sort()
  const most = Math.max(1, ...Object.values(tallies))
  return (
    <>
      <p className="line">
        <Switch on={named} set={setNamed}>
          {named ? 'Hide who wrote what' : 'Show who wrote what'}
        </Switch>
        {invalid > 0 && <span className="note">{many(invalid, 'vote')} could not be read</span>}
      </p>
      <Bars
        label="Votes per response"
        most={most}
        bars={labels.map((label) => ({
          key: label,
          seat: named ? seats[label] : null,
          label: named ? <Who seat={seats[label]} model={models[label]} role={label} /> : label,
          value: tallies[label] ?? 0,
          shown: many(tallies[label] ?? 0, 'vote'),
          mark: label === winner ? <Badge kind="won">winner</Badge> : null,
        }))}
      />
      <Texts
        entries={votes.map((vote) => ({
          seat: vote.seat,
          model: vote.model,
          text: vote.voteText,
          note: vote.votedFor ? (
            <>
              voted for {vote.votedFor}
              {named && (
                <>
                  {' '}
                  <Sign seat={seats[vote.votedFor]} size={11} /> {shortModel(models[vote.votedFor])}
                </>
              )}
            </>
          ) : (
            'unreadable'
          ),
        }))}
      />
    </>
  )
}
