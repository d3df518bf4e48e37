import { Answers } from '../../run/answers'
import { failureTexts, failuresAt } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { Drawing } from '../../ui/charts'
import { decimal, plural } from '../../ui/format'
import { SeatTexts, bySeat } from '../../ui/seat_texts'
import { SeatLabel, Sign, SignAt, seatClass, shortModel, tenth } from '../../ui/seats'
import { Section } from '../../ui/section'
import type { Events, Stage2Response } from './wire'
import './picture.css'

const { last } = eventsOf<Events>()

type RankingEvent = Events['stage2_complete']

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'stage3_complete')?.data
  return synthesis
    ? {
        text: synthesis.response,
        by: (
          <>
            Written by <SeatLabel model={synthesis.model} role="chairman" />
          </>
        ),
      }
    : null
}

export function Picture({ story }: PictureProps) {
  const ranking = last(story, 'stage2_complete')
  return (
    <>
      {ranking && (
        <Section title="How they ranked each other" note="without knowing the names">
          <Ranking ranking={ranking} />
          <SeatTexts
            entries={bySeat([
              ...ranking.data.map((one) => ({
                seat: one.seat,
                model: one.model,
                text: one.rankingText,
                lines: true,
                note: <Order ranking={one} metadata={ranking.metadata} />,
              })),
              ...failureTexts(failuresAt(story, 'stage2'), 'no ranking'),
            ])}
          />
        </Section>
      )}
      <Answers
        title="What each answered"
        story={story}
        step="stage1"
        answers={last(story, 'stage1_complete')?.data}
      />
    </>
  )
}

/** Whom a model put before whom. */
function Order({ ranking, metadata }: { ranking: Stage2Response; metadata: RankingEvent['metadata'] }) {
  if (ranking.parsedRanking.length === 0) return 'no ranking could be read'
  return (
    <span className="order">
      {ranking.parsedRanking.map(({ label }) => (
        <span key={label} title={label}>
          <Sign seat={metadata.labelToSeat[label]} size={11} /> {shortModel(metadata.labelToModel[label])}
        </span>
      ))}
    </span>
  )
}

/** The aggregate ranking; each row shows where every evaluator put that answer. */
function Ranking({ ranking }: { ranking: RankingEvent }) {
  const { aggregateRankings: places, labelToSeat } = ranking.metadata
  const labels = new Map(Object.entries(labelToSeat).map(([label, seat]) => [seat, label]))
  const placings = (seat: number) =>
    ranking.data.flatMap((one) =>
      one.parsedRanking
        .filter((entry) => entry.label === labels.get(seat))
        .map((entry) => ({ by: one.seat, model: one.model, position: entry.position })),
    )
  const lowest = Math.max(labels.size, 2)
  // Answers with the same average share a place.
  const placeOf = (average: number) => {
    const better = places.filter((one) => one.averageRank < average).length
    const shared = places.filter((one) => one.averageRank === average).length > 1
    return `${shared ? '=' : ''}${better + 1}`
  }
  if (places.length === 0)
    return <p className="callout">No ranking could be read, so the answers have no places.</p>
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Aggregate ranking">
      <table className="figures ranking">
        <thead>
          <tr>
            <th scope="col">Place</th>
            <th scope="col">Model</th>
            <th scope="col">Label</th>
            <th scope="col">Ranked by each model, best first</th>
            <th scope="col">Average</th>
          </tr>
        </thead>
        <tbody>
          {places.map((one) => (
            <tr key={one.seat} className={seatClass(one.seat)}>
              <td>{placeOf(one.averageRank)}</td>
              <td>
                <SeatLabel seat={one.seat} model={one.model} />
              </td>
              <td className="label">{labels.get(one.seat)}</td>
              <td>
                <Placings
                  placings={placings(one.seat)}
                  average={one.averageRank}
                  lowest={lowest}
                  own={one.seat}
                />
              </td>
              <td>
                {decimal(one.averageRank, 2)}
                <span className="note"> of {plural(one.rankingsCount, 'ranking')}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="hint">
        Each sign is the place one model gave the answer; the bar <Bar /> is the average.
      </p>
    </div>
  )
}

const Bar = () => (
  <svg className="average-key" width="10" height="12" viewBox="0 0 10 12" aria-hidden="true">
    <path d="M5 0v12" />
  </svg>
)

function Placings({
  placings,
  average,
  lowest,
  own,
}: {
  placings: { by: number; model: string; position: number }[]
  average: number
  lowest: number
  own: number
}) {
  const description = placings
    .map((one) => `${shortModel(one.model)} place ${one.position}${one.by === own ? ' (its own)' : ''}`)
    .join(', ')
  const deepest = Math.max(
    1,
    ...Array.from(
      { length: lowest },
      (_, place) => placings.filter((one) => one.position === place + 1).length,
    ),
  )
  const height = 12 + deepest * 13
  return (
    <Drawing className="placings" label={description} height={height} widest={300}>
      {(width) => {
        const x = (position: number) => 16 + ((position - 1) / (lowest - 1)) * (width - 32)
        const heights = new Map<number, number>()
        return (
          <>
            <path className="track" d={`M8 ${height - 4}H${width - 8}`} />
            {Array.from({ length: lowest }, (_, place) => (
              <path key={place} className="track" d={`M${tenth(x(place + 1))} ${height - 7}v6`} />
            ))}
            <path className="average" d={`M${tenth(x(average))} ${height - 10}v10`} />
            {placings.map((one) => {
              const depth = heights.get(one.position) ?? 0
              heights.set(one.position, depth + 1)
              return (
                <SignAt
                  key={one.by}
                  seat={one.by}
                  x={x(one.position)}
                  y={height - 17 - depth * 13}
                  size={11}
                />
              )
            })}
          </>
        )
      }}
    </Drawing>
  )
}
