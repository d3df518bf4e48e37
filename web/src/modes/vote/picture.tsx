import { Answers } from '../../run/answers'
import { Ballot, pooledNote } from '../../run/ballot'
import { failuresAt } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, listed, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { SeatLabel, shortModel } from '../../ui/seats'
import { Fold, Section } from '../../ui/section'
import type { Events } from './wire'

const { last } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const winner = last(story, 'winner_declared')?.data
  if (!winner) return null
  const by = (
    <>
      {!winner.tiebroken
        ? 'Winner:'
        : winner.tiebreakerMethod === 'alphabetical'
          ? 'Tie, broken alphabetically:'
          : 'Tie, broken by the chairman:'}{' '}
      <SeatLabel seat={winner.winnerSeat} model={winner.winnerModel} /> with {winner.voteCount} of{' '}
      {plural(winner.totalVotes, 'vote')}
      {pooledNote(winner)}
    </>
  )
  return { text: winner.winnerResponse, by }
}

export function Picture({ story }: PictureProps) {
  const round = last(story, 'vote_round_complete')?.data
  const tie = last(story, 'tiebreaker_complete')?.data
  const winner = last(story, 'winner_declared')?.data
  const modelOf = (label: string) => round?.labelToModel[label] ?? label
  return (
    <>
      {round && (
        <Section title="The vote">
          <Ballot
            count={round}
            models={round.labelToModel}
            winner={winner?.winnerLabel}
            pooled={winner?.pooled}
            silent={failuresAt(story, 'vote')}
          />
        </Section>
      )}
      {tie && (
        <Section title="The tiebreak">
          <div className="callout tiebreak">
            <p className="line">
              <SeatLabel model={tie.model} role="chairman" />
              <span>
                chose{' '}
                <SeatLabel
                  seat={round?.labelToSeat[tie.votedFor]}
                  model={modelOf(tie.votedFor)}
                  role={tie.votedFor}
                />{' '}
                from {listed(tie.tiedLabels.map((label) => shortModel(modelOf(label))))}
                {tie.tiebreakerMethod === 'alphabetical' &&
                  ', the first by letter, because its choice could not be read'}
              </span>
              <span className="note">{duration(tie.responseTimeMs)}</span>
            </p>
            {tie.voteText && (
              <Fold title="The chairman's reasons" open>
                <Markdown text={tie.voteText} lines />
              </Fold>
            )}
          </div>
        </Section>
      )}
      <Answers
        title="What each answered"
        story={story}
        step="collect"
        answers={last(story, 'stage1_complete')?.data}
      />
    </>
  )
}
