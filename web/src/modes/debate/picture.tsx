import { Answers } from '../../run/answers'
import { Ballot, pooledNote } from '../../run/ballot'
import { FAILURE_WORDS, failuresAt } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Failure, type Story, eventsOf } from '../../run/story'
import { Stack } from '../../ui/bars'
import { Drawing, truncate } from '../../ui/charts'
import { duration, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, SignAt, seatClass, shortModel, tenth } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { WordChange, WordDiff } from '../../ui/word_diff'
import { lettersIn } from './letters'
import type { Events, RevisionResponse } from './wire'
import './picture.css'

const { last } = eventsOf<Events>()

const DECISIONS: Record<string, [kind: string, word: string]> = {
  REVISE: ['revised', 'REVISED'],
  MERGE: ['merged', 'MERGED'],
  STAND: ['stood', 'STOOD'],
}
const decisionBadge = (decision: string | null | undefined) =>
  DECISIONS[decision ?? ''] ?? ['failed', 'NO DECISION']

export function answer(story: Story): FinalAnswer | null {
  const winner = last(story, 'winner_declared')?.data
  if (!winner) return null
  const by = (
    <>
      {winner.tiebroken ? 'Tie, broken alphabetically:' : 'Winner:'}{' '}
      <SeatLabel seat={winner.winnerSeat} model={winner.winnerModel} />{' '}
      <Decision word={winner.winnerDecision} /> with {winner.voteCount} of {plural(winner.totalVotes, 'vote')}
      {pooledNote(winner)}
    </>
  )
  return { text: winner.winnerResponse, by }
}

export function Picture({ story }: PictureProps) {
  const revisionStart = last(story, 'revision_start')?.data
  const revision = last(story, 'revision_complete')?.data
  const round = last(story, 'vote_complete')?.data
  const winner = last(story, 'winner_declared')?.data
  const failed = new Map(failuresAt(story, 'revision').map((failure) => [failure.seat, failure]))
  return (
    <>
      {revision && (
        <Section title="Who changed their mind">
          <Stack
            label="Decisions"
            parts={[
              { name: 'revised', count: revision.summary.revised, kind: 'revised' },
              { name: 'merged', count: revision.summary.merged, kind: 'merged' },
              { name: 'stood', count: revision.summary.stood, kind: 'stood' },
              { name: 'without a decision', count: revision.summary.parseFailed, kind: 'failed' },
            ]}
          />
          {revisionStart && (
            <Influence
              revisions={revision.revisions}
              seats={revisionStart.labelToSeat}
              models={revisionStart.labelMap}
            />
          )}
          <div className="texts">
            {revision.revisions.map((one) => (
              <RevisionCard key={one.seat} one={one} failure={failed.get(one.seat)} />
            ))}
          </div>
        </Section>
      )}
      {round && (
        <Section title="The vote on the revised answers">
          <Ballot
            count={round}
            models={round.revisedLabelToModel}
            winner={winner?.winnerLabel}
            pooled={winner?.pooled}
            silent={failuresAt(story, 'debate_vote')}
          />
        </Section>
      )}
      <Answers
        title="First answers"
        story={story}
        step="initial_answer"
        answers={last(story, 'round1_complete')?.data}
      />
    </>
  )
}

const Decision = ({ word }: { word: string | null | undefined }) => (
  <Badge kind={decisionBadge(word)[0]}>{decisionBadge(word)[1]}</Badge>
)

function RevisionCard({ one, failure }: { one: RevisionResponse; failure: Failure | undefined }) {
  const changed = one.revisedResponse !== one.originalResponse
  return (
    <div className={`framed card ${seatClass(one.seat)}`}>
      <p className="line">
        <SeatLabel seat={one.seat} model={one.model} /> <Decision word={one.decision} />
        <span className="note">
          <WordChange before={one.originalWordCount} after={one.revisedWordCount} /> ·{' '}
          {duration(one.responseTimeMs)}
        </span>
      </p>
      {one.reasoning && (
        <p className="reason" dir="auto">
          {one.reasoning}
        </p>
      )}
      {!one.parseSuccess && (
        <p className="hint">
          It {failure ? FAILURE_WORDS[failure.kind] : 'made no decision that could be read'};{' '}
          {changed ? 'what it wrote counts as its answer' : 'its first answer stands'}.
        </p>
      )}
      {changed && (
        <Fold title="Changes">
          <WordDiff before={one.originalResponse} after={one.revisedResponse} />
        </Fold>
      )}
      <Fold title={changed ? 'Its final answer' : 'Its answer, unchanged'}>
        <CopyableText text={one.revisedResponse} />
      </Fold>
      {!one.parseSuccess && one.rawText && (
        <Fold title="What it wrote">
          <Markdown text={one.rawText} lines />
        </Fold>
      )}
    </div>
  )
}

const ROW = 44

/** Who persuaded whom: arrows to the seats that changed their answer, from those whose answers they name as reasons. */
function Influence({
  revisions,
  seats,
  models,
}: {
  revisions: RevisionResponse[]
  seats: Record<string, number | null>
  models: Record<string, string>
}) {
  const letters = Object.keys(seats).sort()
  const movers = revisions.filter((one) => one.decision === 'REVISE' || one.decision === 'MERGE')
  if (movers.length === 0) return null
  const flows = movers.flatMap((one) =>
    lettersIn(one.reasoning).flatMap((letter) =>
      letters.includes(`Response ${letter}`) && seats[`Response ${letter}`] !== one.seat
        ? [{ from: `Response ${letter}`, to: one }]
        : [],
    ),
  )
  const modelOf = (label: string) => shortModel(models[label])
  if (flows.length === 0) return <p className="hint">Nobody who changed said which answer persuaded them.</p>
  const left = (label: string) => 26 + letters.indexOf(label) * ROW
  const right = (one: RevisionResponse) => 26 + revisions.indexOf(one) * ROW
  const label = flows
    .map(({ from, to }) => `${modelOf(from)} persuaded ${shortModel(to.model)} in seat ${to.seat}`)
    .join(', ')
  return (
    <>
      <Persuaded flows={flows} seats={seats} models={models} />
      <Drawing
        className="influence"
        label={`Influence: ${label}.`}
        height={Math.max(letters.length, revisions.length) * ROW + 8}
        widest={560}
        caption="An arrow leads from an answer to each model that named it as a reason to change its own."
      >
        {(width) => {
          const narrow = width < 420
          const [out, into] = [narrow ? 96 : 170, width - (narrow ? 96 : 170)]
          return (
            <>
              {flows.map(({ from, to }) => {
                const [y1, y2] = [left(from), right(to)]
                return (
                  <g key={`${from}${to.seat}`} className={seatClass(seats[from])}>
                    <path
                      className="flow-line"
                      d={`M${out + 14} ${y1}C${tenth(out + (into - out) * 0.5)} ${y1} ${tenth(out + (into - out) * 0.5)} ${y2} ${into - 20} ${y2}`}
                    />
                    <path className="flow-tip" d={`M${into - 22} ${y2 - 4.5}l9 4.5l-9 4.5z`} />
                  </g>
                )
              })}
              {letters.map((one) => (
                <g key={one}>
                  <text x={out - 14} y={left(one) - 2} textAnchor="end">
                    {truncate(modelOf(one), out - 14)}
                    <title>{models[one]}</title>
                  </text>
                  <text className="said" x={out - 14} y={left(one) + 13} textAnchor="end">
                    {narrow ? one.replace('Response ', '') : one}
                  </text>
                  <SignAt seat={seats[one]} x={out} y={left(one)} size={15} />
                </g>
              ))}
              {revisions.map((one) => (
                <g key={one.seat}>
                  <SignAt seat={one.seat} x={into} y={right(one)} size={15} />
                  <text x={into + 14} y={right(one) - 2}>
                    {truncate(shortModel(one.model), width - into - 14)}
                    <title>{one.model}</title>
                  </text>
                  <text
                    className={`said said-${decisionBadge(one.decision)[0]}`}
                    x={into + 14}
                    y={right(one) + 13}
                  >
                    {decisionBadge(one.decision)[1]}
                  </text>
                </g>
              ))}
            </>
          )
        }}
      </Drawing>
    </>
  )
}

interface Flow {
  from: string
  to: RevisionResponse
}

/** The same in words: a line for each answer that persuaded someone. */
function Persuaded({
  flows,
  seats,
  models,
}: {
  flows: Flow[]
  seats: Record<string, number | null>
  models: Record<string, string>
}) {
  const labels = [...new Set(flows.map(({ from }) => from))].sort()
  return (
    <ul className="persuaded" aria-label="Who persuaded whom">
      {labels.map((label) => (
        <li key={label}>
          <SeatLabel seat={seats[label]} model={models[label]} role="" /> persuaded{' '}
          {flows
            .filter(({ from }) => from === label)
            .map(({ to }) => (
              <SeatLabel key={to.seat} seat={to.seat} model={to.model} role="" />
            ))}
        </li>
      ))}
    </ul>
  )
}
