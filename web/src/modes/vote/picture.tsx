import { failedAt } from '../../run/failures'
import { Markdown } from '../../ui/markdown'
import { seconds } from '../../ui/format'
import { Fold, Part } from '../../ui/section'
import { Who } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import { Answers } from '../../run/answers'
import { Ballot } from '../../run/ballot'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const won = last(story, 'winner_declared')?.data
  if (!won) return null
  const by = (
    <>
      Winner: <Who seat={won.winnerSeat} model={won.winnerModel} /> with {won.voteCount} of {won.totalVotes}{' '}
      votes
      {won.tiebroken && ', after a tie'}
    </>
  )
  return { text: won.winnerResponse, by }
}

export function Picture({ story }: PictureProps) {
  const round = last(story, 'vote_round_complete')?.data
  const tie = last(story, 'tiebreaker_complete')?.data
  const won = last(story, 'winner_declared')?.data
  return (
    <>
      {round && (
        <Part title="The vote">
          <Ballot
            count={round}
            models={round.labelToModel}
            winner={won?.winnerLabel}
            silent={failedAt(story, 'vote')}
          />
        </Part>
      )}
      {tie && (
        <Part title="The tiebreak">
          <div className="callout tiebreak">
            <p className="line">
              <Who model={tie.model} role="chairman" />
              <span>
                chose <strong>{tie.votedFor}</strong> among {list(tie.tiedLabels)}
                {tie.tiebreakerMethod === 'alphabetical' &&
                  ': the first by letter, as no choice could be read'}
              </span>
              <span className="note">{seconds(tie.responseTimeMs)}</span>
            </p>
            {tie.voteText && (
              <Fold title="The chairman's reasons" open>
                <Markdown text={tie.voteText} lines />
              </Fold>
            )}
          </div>
        </Part>
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

const list = (labels: string[]) => labels.join(', ').replace(/, ([^,]*)$/, ' and $1')
