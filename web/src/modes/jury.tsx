import { Badge, Part, Table, Texts, figure, many, percent, seconds } from '../parts'
import { Sign, seatClass } from '../seats'
import { every, last } from '../story'
import type { ModeEvents } from '../wire'
import type { ModePart } from './part'

type Juror = ModeEvents['jury']['juror_complete']['data']
type Panel = ModeEvents['jury']['all_jurors_complete']['data']

const DIMENSIONS = ['accuracy', 'completeness', 'clarity', 'relevance', 'actionability'] as const
const KIND: Record<string, string> = { APPROVE: 'good', REVISE: 'fair', REJECT: 'bad' }

export const jury: ModePart = {
  answer(story) {
    const verdict = last(story, 'jury', 'verdict_complete')?.data
    if (!verdict) return null
    const by = verdict.finalVerdict && <Badge kind={KIND[verdict.finalVerdict] ?? 'stood'}>{verdict.finalVerdict}</Badge>
    return { text: verdict.reportText, by: <>Verdict: {by}</> }
  },
  Picture({ story }) {
    const panel = last(story, 'jury', 'all_jurors_complete')?.data
    const jurors = every(story, 'jury', 'juror_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    return (
      <>
        {panel && (
          <Part title="The jury's scores" note={`agreement ${percent(panel.verdictAgreement)}`}>
            <p className="tally">
              {jurors.map((one) => (
                <span key={one.seat} className="seat-vote">
                  <Sign seat={one.seat} size={18} /> <Badge kind={KIND[one.verdict ?? ''] ?? 'stood'}>{one.verdict ?? 'no vote'}</Badge>
                </span>
              ))}
            </p>
            <div className="side-by-side">
              <Radar jurors={jurors} panel={panel} />
              <Spreads panel={panel} />
            </div>
          </Part>
        )}
        {jurors.length > 0 && (
          <Part title="Each juror">
            <Texts
              entries={jurors.map((one) => ({
                seat: one.seat,
                model: one.model,
                text: one.assessmentText,
                note: (
                  <>
                    {figure(one.average)} of 10 · {one.verdict ?? 'no vote'}
                    {one.verdictMismatch && ' (its scores say otherwise)'} · {leniency(panel, one.seat)} {seconds(one.responseTimeMs)}
                  </>
                ),
              }))}
            />
          </Part>
        )}
      </>
    )
  },
}

function leniency(panel: Panel | undefined, seat: number): string {
  const value = panel?.leniency.find((one) => one.seat === seat)?.value
  if (value == null || Math.abs(value) < 0.05) return ''
  return `${figure(Math.abs(value))} ${value > 0 ? 'milder' : 'harsher'} than the panel ·`
}

const point = (place: number, score: number, reach: number) => {
  const angle = (place / DIMENSIONS.length) * 2 * Math.PI - Math.PI / 2
  return [150 + Math.cos(angle) * reach * (score / 10), 125 + Math.sin(angle) * reach * (score / 10)] as const
}
const polygon = (scores: (number | null | undefined)[]) => scores.map((score, place) => point(place, score ?? 0, 90).join(',')).join(' ')

function Radar({ jurors, panel }: { jurors: Juror[]; panel: Panel }) {
  const means = DIMENSIONS.map((name) => panel.dimensionAverages[name])
  const said = DIMENSIONS.map((name) => `${name} ${figure(panel.dimensionAverages[name])}`).join(', ')
  return (
    <svg className="radar" viewBox="-20 0 340 240" role="img" aria-label={`Mean scores of ten: ${said}`}>
      {[2.5, 5, 7.5, 10].map((ring) => (
        <polygon key={ring} className="grid" points={polygon(DIMENSIONS.map(() => ring))} />
      ))}
      {jurors.map((one) => (
        <polygon key={one.seat} className={`juror ${seatClass(one.seat)}`} points={polygon(DIMENSIONS.map((name) => one.scores[name]))} />
      ))}
      <polygon className="mean" points={polygon(means)} />
      {DIMENSIONS.map((name, place) => {
        const [x, y] = point(place, 10.9, 90)
        return (
          <text key={name} x={x} y={y + 4} textAnchor={Math.abs(x - 150) < 10 ? 'middle' : x > 150 ? 'start' : 'end'}>
            {name}
          </text>
        )
      })}
    </svg>
  )
}

function Spreads({ panel }: { panel: Panel }) {
  return (
    <Table
      label="Scores per dimension"
      head={['Dimension', 'From lowest to highest', 'Mean']}
      rows={DIMENSIONS.map((name) => {
        const range = panel.dimensionRanges[name]
        const mean = panel.dimensionAverages[name]
        return [
          name,
          range && mean != null ? <Whisker key="w" low={range.min} mean={mean} high={range.max} said={`${range.min} to ${range.max}`} /> : '–',
          figure(mean),
        ]
      }).concat([['all', many(panel.successfulJurors, 'juror'), figure(panel.overallAverage)]])}
    />
  )
}

export function Whisker({ low, mean, high, said, most = 10 }: { low: number; mean: number; high: number; said: string; most?: number }) {
  const x = (value: number) => 4 + (value / most) * 112
  return (
    <svg className="whisker" width="120" height="14" viewBox="0 0 120 14" role="img" aria-label={said}>
      <path className="rest" d="M4 7h112" />
      <path className="range" d={`M${x(low)} 7H${x(high)}M${x(low)} 3v8M${x(high)} 3v8`} />
      <circle cx={x(mean)} cy="7" r="4" />
    </svg>
  )
}
