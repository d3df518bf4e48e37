import './picture.css'
import { useId, useState } from 'react'
import { Markdown } from '../../ui/markdown'
import { decimal, duration } from '../../ui/format'
import { Badge, Fold, Section } from '../../ui/section'
import { SeatLabel, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import { LEAST, MOST, percentsOf, effectiveCount, weightsOf } from './weights'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

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
      ? 'The answer with the most weight, from'
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

interface Row {
  seat: number
  model: string
  stated: number | null
  arrived: boolean
  failed: boolean
  outlier: boolean
  share: number | null
}

/** Each seat's confidence as a bar, and what it weighs as a stream into the answer. */
function Weighing({
  story,
  answers,
  weightTable,
}: {
  story: Story
  answers: Answer[]
  weightTable: Weighting | undefined
}) {
  const [preview, setPreview] = useState<{ temperature: number; weighting: string } | null>(null)
  const config = (story.opening as unknown as { config?: { models?: string[] } } | null)?.config
  const shares =
    weightTable && preview
      ? weightsOf(
          weightTable.weights.map((one) => one.effectiveConfidence),
          preview.temperature,
          preview.weighting,
        )
      : weightTable?.weights.map((one) => one.normalizedWeight)
  const percents =
    preview && shares ? percentsOf(shares) : weightTable?.weights.map((one) => one.weightPercent)
  const rows: Row[] = (config?.models ?? []).map((model, place) => {
    const answer = answers.find((one) => one.seat === place + 1)
    const at = weightTable?.weights.findIndex((one) => one.seat === place + 1) ?? -1
    return {
      seat: place + 1,
      model,
      stated: answer?.confidence ?? null,
      arrived: answer !== undefined,
      failed:
        story.failures.some((one) => one.seat === place + 1 && one.step.startsWith('answer')) ||
        (!answer && weightTable !== undefined),
      outlier: weightTable?.weights[at]?.isOutlier ?? false,
      share: at < 0 ? null : (percents?.[at] ?? null),
    }
  })
  if (rows.length === 0) return null
  return (
    <Section
      title="How much each counted"
      note={shares && `${decimal(effectiveCount(shares))} voices in effect`}
    >
      <div className={`weighing ${preview ? 'previewing' : ''}`}>
        <ol className="weigh-rows">
          {rows.map((row) => (
            <WeighRow key={row.seat} row={row} />
          ))}
        </ol>
        {percents && <Streams rows={rows} />}
      </div>
      <p className="hint">
        The bar is the confidence a model stated; ring and stream are its share of the answer. Beyond {MOST}{' '}
        and {LEAST} a number counts no further.
      </p>
      {weightTable && weightTable.weights.length > 1 && (
        <Slider weightTable={weightTable} preview={preview} set={setPreview} />
      )}
    </Section>
  )
}

function WeighRow({ row }: { row: Row }) {
  const stated =
    row.stated === null
      ? row.arrived
        ? 'no number given'
        : row.failed
          ? 'did not answer'
          : 'not yet'
      : decimal(row.stated, 2)
  const share = row.share === null ? null : `${row.share.toFixed(2)} %`
  return (
    <li className={seatClass(row.seat)}>
      <span className="weigh-name">
        <SeatLabel seat={row.seat} model={row.model} hollow={row.failed} />
      </span>
      <svg
        className="weigh-bar"
        width="100%"
        height="16"
        role="img"
        aria-label={`stated confidence ${stated}${share ? `, share of the answer ${share}` : ''}`}
      >
        {row.outlier && (
          <pattern
            id="hatch-outlier"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="3" height="6" className="hatch" />
          </pattern>
        )}
        <rect className="bar-ground" width="100%" height="10" y="3" />
        {row.stated !== null && (
          <rect
            className={row.outlier ? 'weigh-stated outlier' : 'weigh-stated'}
            width={`${row.stated * 100}%`}
            height="10"
            y="3"
          />
        )}
        {row.stated !== null && row.outlier && (
          <rect fill="url(#hatch-outlier)" width={`${row.stated * 100}%`} height="10" y="3" />
        )}
        {row.share !== null && <circle className="weigh-share" cx={`${row.share}%`} cy="8" r="5.500" />}
      </svg>
      <span className="weigh-figures">
        <span className={row.stated === null ? 'note' : ''}>{stated}</span>
        {row.outlier && <Badge kind="bad">outlier</Badge>}
        {share && <strong>{share}</strong>}
      </span>
    </li>
  )
}

/** A stream from each seat, as broad as it weighs, into the one answer. */
function Streams({ rows }: { rows: Row[] }) {
  const high = 100 / rows.length
  let from = 0
  return (
    <svg className="streams" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      {rows.map((row, place) => {
        if (row.share === null) return null
        const top = (place + 0.5) * high - (row.share * high) / 200
        const [a, b, c, d] = [top, from, from + row.share, top + (row.share * high) / 100]
        from += row.share
        return (
          <path
            key={row.seat}
            className={seatClass(row.seat)}
            d={`M0 ${a}C50 ${a} 50 ${b} 100 ${b}V${c}C50 ${c} 50 ${d} 0 ${d}Z`}
          />
        )
      })}
    </svg>
  )
}

const LOW = Math.log(0.1)
const HIGH = Math.log(5)

function Slider({
  weightTable,
  preview,
  set,
}: {
  weightTable: Weighting
  preview: { temperature: number; weighting: string } | null
  set: (to: { temperature: number; weighting: string } | null) => void
}) {
  const id = useId()
  const now = preview ?? { temperature: weightTable.temperature, weighting: weightTable.weighting }
  const place = ((Math.log(now.temperature) - LOW) / (HIGH - LOW)) * 100
  const temperature = (at: number) => Math.round(Math.exp(LOW + (at / 100) * (HIGH - LOW)) * 100) / 100
  return (
    <div className="slider online">
      <label htmlFor={id}>What if confidence counted more, or less?</label>
      <div className="slider-line">
        <span className="note">winner takes all (0.1)</span>
        <input
          id={id}
          type="range"
          min="0"
          max="100"
          step="1"
          value={Math.round(place)}
          aria-valuetext={`temperature ${now.temperature}`}
          onChange={(event) => set({ ...now, temperature: temperature(Number(event.target.value)) })}
        />
        <span className="note">equal say (5.0)</span>
      </div>
      <p className="line">
        <span>
          temperature <output htmlFor={id}>{now.temperature.toFixed(2)}</output>
        </span>
        <label>
          over{' '}
          <select value={now.weighting} onChange={(event) => set({ ...now, weighting: event.target.value })}>
            <option value="softmax">confidences</option>
            <option value="log_odds">odds</option>
          </select>
        </label>
        {preview && (
          <>
            <Badge kind="fair">Preview</Badge>
            <span className="note">The answer was merged at {weightTable.temperature}.</span>
            <button type="button" className="small" onClick={() => set(null)}>
              As it was
            </button>
          </>
        )}
      </p>
    </div>
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
    <Section title="What each answered" note={weightTable && 'the heaviest first'}>
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
                {weight && `${weight.weightPercent.toFixed(2)} % · `}
                {one.confidence === null ? 'no number given' : `stated ${decimal(one.confidence, 2)}`} ·{' '}
                {duration(one.responseTimeMs)}
              </span>
            </p>
            {one.confidenceReasoning && (
              <p className="reason" dir="auto">
                {one.confidenceReasoning}
              </p>
            )}
            <Fold title="Its answer">
              <Markdown text={one.response} />
            </Fold>
          </div>
        )
      })}
      {synthesis?.calibrationNotes && (
        <Fold title="Were they right to be so sure? Notes on calibration">
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
