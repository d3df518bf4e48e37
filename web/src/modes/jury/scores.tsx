import { Drawing, Radar } from '../../ui/charts'
import { decimal, plural } from '../../ui/format'
import { SignAt, seatClass, shortModel, tenth } from '../../ui/seats'
import type { JurorAssessment, JurorSummary, JuryVerdict } from './wire'

export const DIMENSIONS = ['accuracy', 'completeness', 'clarity', 'relevance', 'actionability'] as const

export function Web({ jurors, panel }: { jurors: JurorAssessment[]; panel: JurorSummary | undefined }) {
  const label = panel
    ? `Mean scores of ten: ${DIMENSIONS.map((name) => `${name} ${decimal(panel.dimensionAverages[name])}`).join(', ')}`
    : `Scores of ${plural(jurors.length, 'juror')} so far`
  const webs = jurors.map((one) => ({
    key: String(one.seat),
    className: `juror ${seatClass(one.seat)}`,
    scores: DIMENSIONS.map((name) => one.scores[name]),
  }))
  const mean = panel
    ? [{ key: 'mean', className: 'mean', scores: DIMENSIONS.map((name) => panel.dimensionAverages[name]) }]
    : []
  return (
    <Radar
      rays={DIMENSIONS.map((name) => ({ key: name, label: name }))}
      most={10}
      webs={[...webs, ...mean]}
      label={label}
    />
  )
}

/** A row per dimension: where each juror stands, from lowest to highest, and the mean. */
export function Spreads({
  jurors,
  panel,
  verdict,
}: {
  jurors: JurorAssessment[]
  panel: JurorSummary | undefined
  verdict: JuryVerdict | undefined
}) {
  return (
    <div>
      <ul className="spreads" aria-label="Scores per dimension, of 10">
        {DIMENSIONS.map((name) => (
          <li key={name}>
            <span className="spread-name">{name}</span>
            <Whisker
              scores={jurors.flatMap((one) =>
                one.scores[name] == null
                  ? []
                  : [{ seat: one.seat, model: one.model, score: one.scores[name] }],
              )}
              mean={panel?.dimensionAverages[name]}
            />
            <span className="spread-mean">{panel ? decimal(panel.dimensionAverages[name]) : ''}</span>
            <span className="note">
              {verdict?.dimensionAnalysis.find((one) => one.dimension === name)?.consensus}
            </span>
          </li>
        ))}
      </ul>
      <p className="hint">
        Each sign is a juror’s score from 1 to 10; the dot is the mean.
        {panel?.overallAverage == null ? '' : ` Mean of all scores: ${decimal(panel.overallAverage)}.`}
      </p>
    </div>
  )
}

function Whisker({
  scores,
  mean,
}: {
  scores: { seat: number; model: string; score: number }[]
  mean: number | null | undefined
}) {
  if (scores.length === 0) return <span className="note">not scored</span>
  const values = scores.map((one) => one.score)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const label = `${low === high ? low : `${low} to ${high}`}${mean == null ? '' : `, mean ${decimal(mean)}`}: ${scores.map((one) => `${shortModel(one.model)} ${one.score}`).join(', ')}`
  return (
    <Drawing className="whisker" label={label} height={30} widest={260}>
      {(width) => {
        const x = (score: number) => tenth(8 + ((score - 1) / 9) * (width - 16))
        return (
          <>
            <path className="rest" d={`M8 22H${width - 8}`} />
            <path className="range" d={`M${x(low)} 22H${x(high)}M${x(low)} 17v10M${x(high)} 17v10`} />
            {scores.map((one, place) => {
              const beside = scores.slice(0, place).filter((other) => other.score === one.score).length
              const alike = scores.filter((other) => other.score === one.score).length
              return (
                <SignAt
                  key={one.seat}
                  seat={one.seat}
                  x={x(one.score) + (beside - (alike - 1) / 2) * 10}
                  y={7}
                  size={9}
                />
              )
            })}
            {mean != null && <circle className="mean" cx={x(mean)} cy="22" r="5" />}
          </>
        )
      }}
    </Drawing>
  )
}
