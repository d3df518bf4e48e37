import { FAILURE_WORDS } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, humanize, plural } from '../../ui/format'
import { type SeatText, SeatTexts, bySeat } from '../../ui/seat_texts'
import { Badge, Fold, Section } from '../../ui/section'
import { Convergence, Figures, Moves, type Round, amount, numericOf } from './plots'
import type { Classification, Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

const STOP_REASONS: Record<string, [kind: string, label: string]> = {
  converged: ['good', 'Converged'],
  stable: ['fair', 'Stable disagreement'],
  max_rounds: ['fair', 'Round limit'],
  attrition: ['fair', 'Too few left'],
  deadline: ['fair', 'Out of time'],
}

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesis_complete')?.data
  if (!synthesis) return null
  const [kind, label] = STOP_REASONS[synthesis.stopReason] ?? ['fair', humanize(synthesis.stopReason)]
  return {
    text: synthesis.report,
    by: (
      <Badge kind={kind}>
        {synthesis.convergenceRound == null ? label : `${label} in round ${synthesis.convergenceRound}`}
      </Badge>
    ),
    head: (
      <p className="result-line" dir="auto">
        {readable(synthesis.resultLine, last(story, 'classify_complete')?.data.unit)}
      </p>
    ),
  }
}

/** The result with digits that a reader can use, and the unit with every figure. */
export const readable = (line: string, unit: string | null | undefined) =>
  line
    .replace(/\d+\.\d{2,}/g, (digits) => amount(Number(digits)).replaceAll(',', ''))
    .replace(/between (\S+) and ([^\s.]+(?:\.\d+)?)/, unit ? `between $1 ${unit} and $2 ${unit}` : '$&')

export function Picture({ story }: PictureProps) {
  const rounds = roundsOf(story)
  const kind = last(story, 'classify_complete')?.data
  const modelNames = new Map(
    last(story, 'synthesis_complete')?.data.participants.map((one) => [one.participantIndex, one.model]) ??
      [],
  )
  if (rounds.length === 0) return null
  const numeric = kind ? kind.type === 'numeric' : rounds.some(numericOf)
  return (
    <>
      <Section
        title={numeric ? 'How the estimates moved' : 'How the answers moved'}
        note={`${plural(rounds.length, 'round')}${kind?.unit ? `, in ${kind.unit}` : ''}`}
      >
        {numeric ? (
          <Convergence rounds={rounds} kind={kind} />
        ) : (
          <Moves rounds={rounds} options={kind?.options} />
        )}
        {numeric && (
          <Fold title="The figures">
            <Figures rounds={rounds} kind={kind} />
          </Fold>
        )}
      </Section>
      <Section title="What they said" note={modelNames.size > 0 ? undefined : 'names appear with the report'}>
        <div className={modelNames.size > 0 ? 'unveiled' : 'veiled'}>
          {rounds.map((round) => (
            <Fold key={round.round} title={`Round ${round.round}`} note={gist(round, kind)}>
              <SeatTexts entries={roundTexts(round, kind, modelNames)} />
            </Fold>
          ))}
        </div>
      </Section>
    </>
  )
}

const roundsOf = (story: Story): Round[] =>
  every(story, 'round_complete')
    .map((event) => event.data)
    .sort((a, b) => a.round - b.round)

function gist(round: Round, kind: Classification | undefined): string {
  const { stats } = round
  const middle = !stats
    ? 'no figures'
    : 'median' in stats
      ? `median ${amount(stats.median, kind?.scale)}`
      : `${stats.modeTied ? 'a tie, with' : 'most for'} ${stats.mode}`
  return [
    middle,
    stats && round.round > 1 && `${stats.changedCount} changed`,
    round.failed.length > 0 && `${round.failed.length} did not answer`,
    round.converged && 'agreed',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** What the participants said in a round; who they are is told with the report. */
function roundTexts(
  round: Round,
  kind: Classification | undefined,
  modelNames: Map<number, string>,
): SeatText[] {
  const given = round.estimates.map((one) => ({
    seat: one.participantIndex,
    model: modelNames.get(one.participantIndex),
    role: `participant ${one.participantIndex}`,
    text: one.reasoning ?? one.rawText,
    lines: true,
    note: [
      one.estimate == null ? (one.answer ?? 'unreadable') : amount(one.estimate, kind?.scale),
      one.rangeGiven && 'middle of a range',
      `${one.confidence.toLowerCase()} confidence`,
      one.changed &&
        `changed from ${one.previousEstimate == null ? one.previousAnswer : amount(one.previousEstimate, kind?.scale)}`,
      one.carriedForward && 'carried over',
      one.responseTimeMs != null && duration(one.responseTimeMs),
    ]
      .filter(Boolean)
      .join(' · '),
  }))
  // Whose answer was carried forward has its card already.
  const gone = round.failed.filter((one) => !given.some((other) => other.seat === one.participantIndex))
  return bySeat([
    ...given,
    ...gone.map((one) => ({
      seat: one.participantIndex,
      model: modelNames.get(one.participantIndex),
      role: `participant ${one.participantIndex}`,
      text: '',
      missing: `dropped out: ${FAILURE_WORDS[one.kind]}`,
    })),
  ])
}
