import { useId, useState } from 'react'
import type { Story } from '../../run/story'
import { decimal } from '../../ui/format'
import { SeatLabel, seatClass } from '../../ui/seats'
import { Badge, Section } from '../../ui/section'
import { LEAST, MOST, effectiveCount, percentsOf, weightsOf } from './weights'
import type { Events } from './wire'

type Answer = Events['answer_complete']['data']
type Weighting = Events['weights_calculated']['data']

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
export function Weighing({
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
      title="How much each answer counted"
      note={shares && `${decimal(effectiveCount(shares))} equal voices`}
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
        The bar is the confidence a model stated; ring and stream are its share of the answer. Confidence
        above {MOST} or below {LEAST} is capped.
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
        ? 'not stated'
        : row.failed
          ? 'did not answer'
          : 'not yet'
      : decimal(row.stated, 2)
  const share = row.share === null ? null : `${row.share.toFixed(2)}%`
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
              Reset
            </button>
          </>
        )}
      </p>
    </div>
  )
}
