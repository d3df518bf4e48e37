import { Markdown } from '../Markdown'
import { Part, Texts, seconds } from '../parts'
import { Who } from '../seats'
import { last } from '../story'
import { Ballot } from './ballot'
import type { ModePart } from './part'

export const vote: ModePart = {
  answer(story) {
    const won = last(story, 'vote', 'winner_declared')?.data
    if (!won) return null
    const by = (
      <>
        Winner: <Who seat={won.winnerSeat} model={won.winnerModel} /> with {won.voteCount} of {won.totalVotes} votes
        {won.tiebroken && ', after a tie'}
      </>
    )
    return { text: won.winnerResponse, by }
  },
  Picture({ story }) {
    const answers = last(story, 'vote', 'stage1_complete')?.data
    const round = last(story, 'vote', 'vote_round_complete')?.data
    const tie = last(story, 'vote', 'tiebreaker_complete')?.data
    const won = last(story, 'vote', 'winner_declared')?.data
    return (
      <>
        {round && (
          <Part title="The vote">
            <Ballot votes={round.votes} tallies={round.tallies} seats={round.labelToSeat} models={round.labelToModel} winner={won?.winnerLabel} invalid={round.invalidVoteCount} />
          </Part>
        )}
        {tie && (
          <Part title="The tiebreak" note={tie.model}>
            <div className="callout">
              <p>
                The chairman chose <strong>{tie.votedFor}</strong>{tie.tiebreakerMethod === "alphabetical" ? ", the first by letter, as no choice could be read." : "."}
              </p>
              <Markdown text={tie.voteText} />
            </div>
          </Part>
        )}
        {answers && (
          <Part title="What each answered">
            <Texts entries={answers.map((one) => ({ seat: one.seat, model: one.model, text: one.response, note: seconds(one.responseTimeMs) }))} />
          </Part>
        )}
      </>
    )
  },
}
