import type { ComponentProps } from 'react'
import { AbsentSeats } from '../../run/failures'
import { decimal, plural } from '../../ui/format'
import { SeatLabel, SignAt } from '../../ui/seats'
import { Badge, Section } from '../../ui/section'
import type { Events } from './wire'

type Review = Events['reviewer_complete']['data']
type Consolidation = Events['consolidation_complete']['data']

/** Criteria by reviewers as a heat map; on the scale beside it they stand close together or far apart. */
export function Scores({
  reviews,
  consolidation,
  total,
  absent,
}: {
  reviews: Review[]
  consolidation: Consolidation | undefined
  total: number
  absent: ComponentProps<typeof AbsentSeats>['failures']
}) {
  const criteria = new Map(
    reviews.flatMap((one) => one.scores.map((score) => [score.criterion, score.weight] as const)),
  )
  const summary = new Map(consolidation?.consensusScores.map((one) => [one.criterion, one]) ?? [])
  if (criteria.size === 0) return <p className="callout">No reviewer gave scores that could be read.</p>
  return (
    <Section
      title="Where they stand"
      note={`${reviews.length} of ${plural(total, 'review')}; 1 is poor, 5 excellent`}
    >
      <div className="scroll" tabIndex={0} role="group" aria-label="Scores per criterion and reviewer">
        <table className="figures heats">
          <thead>
            <tr>
              <th scope="col">Criterion</th>
              {reviews.map((one) => (
                <th key={one.seat} scope="col">
                  <SeatLabel seat={one.seat} model={one.model} role="" />
                </th>
              ))}
              <th scope="col">
                <span className="scale-head">
                  <span>1</span>
                  <span>3</span>
                  <span>5</span>
                </span>
                <span className="unseen">on the scale</span>
              </th>
              <th scope="col">Mean</th>
              <th scope="col">Spread</th>
              <th scope="col">Agreement</th>
            </tr>
          </thead>
          <tbody>
            {[...criteria].map(([name, weight]) => {
              const scores = reviews.map((one) => ({
                seat: one.seat,
                ...one.scores.find((score) => score.criterion === name),
              }))
              const figures = summary.get(name)
              return (
                <tr key={name} className={figures?.agreement === 'Low' ? 'disputed' : ''}>
                  <th scope="row">
                    {name} <span className="note">× {weight}</span>
                  </th>
                  {scores.map((one) => (
                    <td key={one.seat} title={one.justification ?? undefined}>
                      <Heat score={one.score} />
                    </td>
                  ))}
                  <td>
                    <Strip
                      marks={scores.flatMap((one) =>
                        one.score == null ? [] : [{ seat: one.seat, score: one.score }],
                      )}
                      mean={figures?.average ?? null}
                    />
                  </td>
                  <td>{decimal(figures?.average)}</td>
                  <td>{decimal(figures?.stddev, 2)}</td>
                  <td>
                    {figures?.agreement === 'Low' ? (
                      <Badge kind="fair">disputed</Badge>
                    ) : (
                      (figures?.agreement?.toLowerCase() ?? '–')
                    )}
                  </td>
                </tr>
              )
            })}
            <tr className="overall">
              <th scope="row">Overall</th>
              {reviews.map((one) => (
                <td key={one.seat}>
                  <Heat score={one.overallScore} />
                </td>
              ))}
              <td>
                <Strip
                  marks={reviews.flatMap((one) =>
                    one.overallScore === null ? [] : [{ seat: one.seat, score: one.overallScore }],
                  )}
                  mean={consolidation?.weightedOverallAvg ?? null}
                />
              </td>
              <td>{decimal(consolidation?.weightedOverallAvg)}</td>
              <td>{decimal(consolidation?.weightedOverallStddev, 2)}</td>
              <td>{consolidation?.overallAgreement?.toLowerCase() ?? '–'}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <AbsentSeats failures={absent} lacks="no review" />
    </Section>
  )
}

const Heat = ({ score }: { score: number | null | undefined }) =>
  score == null ? (
    <span className="heat heat-none">–</span>
  ) : (
    <span className={`heat heat-${Math.round(score)}`}>
      {decimal(score, Number.isInteger(score) ? 0 : 1)}
    </span>
  )

/** The seats' signs at their scores, one above the other where they agree, and the line from the lowest to the highest. */
function Strip({ marks, mean }: { marks: { seat: number; score: number }[]; mean: number | null }) {
  const x = (score: number) => 8 + ((score - 1) / 4) * 104
  const level = (place: number) =>
    marks.slice(0, place).filter((other) => Math.abs(other.score - marks[place]!.score) < 0.4).length
  const deepest = Math.max(0, ...marks.map((_, place) => level(place)))
  const height = 16 + deepest * 9
  const all = marks.map((mark) => mark.score)
  return (
    <svg className="strip" width="120" height={height} aria-hidden="true">
      {[1, 2, 3, 4, 5].map((score) => (
        <path key={score} className="strip-tick" d={`M${x(score)} 0V${height}`} />
      ))}
      {all.length > 1 && (
        <path className="strip-span" d={`M${x(Math.min(...all))} 8H${x(Math.max(...all))}`} />
      )}
      {mean !== null && <path className="strip-mean" d={`M${x(mean)} 0V${height}`} />}
      {marks.map((mark, place) => (
        <SignAt key={mark.seat} seat={mark.seat} x={x(mark.score)} y={8 + level(place) * 9} size={10} />
      ))}
    </svg>
  )
}
