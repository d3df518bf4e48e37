import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { decimal, duration } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, seatClass } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { Weighing } from './weighing'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

type Answer = Events['answer_complete']['data']
type Weighting = Events['weights_calculated']['data']
type Synthesis = Events['synthesis_complete']['data']

const CHIPS: Record<string, [kind: string, word: string]> = {
  OVERCONFIDENT: ['fair', '↓ overconfident'],
  FAIR: ['good', '= fair'],
  UNDERCONFIDENT: ['merged', '↑ underconfident'],
}

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesis_complete')?.data
  if (!synthesis) return null
  const by = synthesis.skipped
    ? 'The only answer, from'
    : synthesis.fallback === 'top_answer'
      ? 'The heaviest answer, from'
      : 'Merged by weight by'
  return {
    text: synthesis.synthesis,
    by: (
      <>
        {by} <SeatLabel model={synthesis.model} role="" />
      </>
    ),
  }
}

export function Picture({ story }: PictureProps) {
  const answers = every(story, 'answer_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const weightTable = last(story, 'weights_calculated')?.data
  const synthesis = last(story, 'synthesis_complete')?.data
  return (
    <>
      <Weighing story={story} answers={answers} weightTable={weightTable} />
      {answers.length > 0 && <Cards answers={answers} weightTable={weightTable} synthesis={synthesis} />}
    </>
  )
}

/** The heaviest answer first. */
function Cards({
  answers,
  weightTable,
  synthesis,
}: {
  answers: Answer[]
  weightTable: Weighting | undefined
  synthesis: Synthesis | undefined
}) {
  const weights = new Map(weightTable?.weights.map((one) => [one.seat, one]) ?? [])
  const verdicts = new Map(synthesis?.calibration.map((one) => [one.seat, one]) ?? [])
  const sorted = answers.toSorted(
    (a, b) =>
      (weights.get(b.seat)?.normalizedWeight ?? 0) - (weights.get(a.seat)?.normalizedWeight ?? 0) ||
      a.seat - b.seat,
  )
  return (
    <Section title="What each answered" note={weightTable && 'heaviest first'}>
      {sorted.map((one) => {
        const verdict = verdicts.get(one.seat)
        const chip = CHIPS[verdict?.verdict ?? '']
        const weight = weights.get(one.seat)
        return (
          <div
            key={one.seat}
            className={`framed card weight-${Math.ceil((weight?.normalizedWeight ?? 0) * 5)} ${seatClass(one.seat)}`}
          >
            <p className="line">
              <SeatLabel seat={one.seat} model={one.model} />
              {chip && <Badge kind={chip[0]}>{chip[1]}</Badge>}
              <span className="note">
                {weight && `${weight.weightPercent.toFixed(2)}% · `}
                {one.confidence === null
                  ? 'no confidence stated'
                  : `stated ${decimal(one.confidence, 2)}`} · {duration(one.responseTimeMs)}
              </span>
            </p>
            {one.confidenceReasoning && (
              <p className="reason" dir="auto">
                {one.confidenceReasoning}
              </p>
            )}
            <Fold title="Its answer">
              <CopyableText text={one.response} />
            </Fold>
          </div>
        )
      })}
      {synthesis?.calibrationNotes && (
        <Fold title="Notes on calibration">
          {synthesis.calibration.some((one) => one.note) && (
            <ul>
              {synthesis.calibration.map((one) => (
                <li key={one.seat}>
                  <SeatLabel seat={one.seat} model={one.model} />{' '}
                  {CHIPS[one.verdict ?? '']?.[1] ?? 'no verdict'}
                  {one.note && <span dir="auto">: {one.note}</span>}
                </li>
              ))}
            </ul>
          )}
          <Markdown text={synthesis.calibrationNotes} />
        </Fold>
      )}
    </Section>
  )
}
