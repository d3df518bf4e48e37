// How a Delphi panel moved: numbers on an axis, answers as shares of the panel.

import { Drawing, ribbon, truncate } from '../../ui/charts'
import { decimal, plural } from '../../ui/format'
import { Sign, SignAt, seatClass, tenth } from '../../ui/seats'
import { Table } from '../../ui/table'
import { axisOf } from './axis'
import type { Classification, DelphiRound, Estimate, NumericStats, QualitativeStats } from './wire'

export type Round = DelphiRound

export const numericOf = (round: Round): NumericStats | null =>
  round.stats && 'median' in round.stats ? round.stats : null
const sharesOf = (round: Round): QualitativeStats | null =>
  round.stats && 'distribution' in round.stats ? round.stats : null

/** Years keep their figures as they are; all else is grouped by thousands. */
export const amount = (value: number, scale?: string | null) =>
  value.toLocaleString('en', {
    useGrouping: scale !== 'DATE',
    ...(Math.abs(value) < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 1 }),
  })
const short = (value: number, scale?: string | null) =>
  Math.abs(value) >= 10_000 && scale !== 'DATE'
    ? value.toLocaleString('en', { notation: 'compact', maximumSignificantDigits: 3 })
    : amount(value, scale)

const HEIGHT = 270
const [TOP, FOOT, LEFT, RIGHT] = [14, 34, 54, 40]

/** One thin line per participant, the median bold, the middle half shaded, outliers ringed. */
export function Convergence({ rounds, kind }: { rounds: Round[]; kind: Classification | undefined }) {
  const stats = rounds.map(numericOf)
  const values = rounds.flatMap((round) =>
    round.estimates.flatMap((one) => (one.estimate == null ? [] : [one.estimate])),
  )
  if (values.length === 0) return <p className="hint">No estimate could be read.</p>
  const scale = kind?.scale
  const axis = axisOf(values, scale)
  const y = (value: number) => tenth(HEIGHT - FOOT - axis.share(value) * (HEIGHT - FOOT - TOP))
  const label = stats
    .map((one, place) =>
      one
        ? `round ${rounds[place]!.round}: median ${amount(one.median, scale)}, middle half ${amount(one.q1, scale)} to ${amount(one.q3, scale)}`
        : `round ${rounds[place]!.round}: no figures`,
    )
    .join('; ')
  return (
    <Drawing
      className="convergence"
      label={label}
      height={HEIGHT}
      caption={`Bold: median. Shaded: middle half. Ringed: outliers. Hollow: carried over from the round before.${axis.log ? ' The axis is logarithmic.' : ''}`}
    >
      {(width) => {
        const x = (place: number) =>
          rounds.length > 1
            ? tenth(LEFT + 34 + (place / (rounds.length - 1)) * (width - LEFT - RIGHT - 68))
            : (LEFT + width - RIGHT) / 2
        const apart = rounds.length > 1 ? x(1) - x(0) : width
        const ends = (place: number) => place === 0 || place === rounds.length - 1
        return (
          <>
            {axis.marks.map((value) => (
              <g key={value} className="mark" data-value={value}>
                <path className="rest" d={`M${LEFT} ${y(value)}H${width - 4}`} />
                <text className="soft" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
                  {short(value, scale)}
                </text>
              </g>
            ))}
            {stats.slice(1).map((after, place) => {
              const before = stats[place]
              return (
                before &&
                after && (
                  <path
                    key={place}
                    className="band"
                    data-round={rounds[place]!.round}
                    d={`M${x(place)} ${y(before.q3)}L${x(place + 1)} ${y(after.q3)}V${y(after.q1)}L${x(place)} ${y(before.q1)}z`}
                  />
                )
              )
            })}
            {stats.map(
              (one, place) =>
                one && (
                  <path
                    key={place}
                    className="quartiles"
                    data-round={rounds[place]!.round}
                    d={`M${x(place)} ${y(one.q1)}V${y(one.q3)}`}
                  />
                ),
            )}
            <Paths rounds={rounds} x={x} y={y} />
            <path
              className="median"
              d={stats
                .flatMap((one, place) =>
                  one ? [`${place > 0 && stats[place - 1] ? 'L' : 'M'}${x(place)} ${y(one.median)}`] : [],
                )
                .join('')}
            />
            {stats.map(
              (one, place) =>
                one && <path key={place} className="median" d={`M${x(place) - 13} ${y(one.median)}h26`} />,
            )}
            {rounds.map((round, place) => (
              <Estimates key={round.round} round={round} x={x(place)} y={y} />
            ))}
            {stats.map(
              (one, place) =>
                one &&
                (apart > 90 || ends(place)) && (
                  <text key={place} className="halo median-figure" x={x(place) + 18} y={y(one.median) - 7}>
                    {short(one.median, scale)}
                  </text>
                ),
            )}
            {rounds.map((round, place) => (
              <text key={round.round} x={x(place)} y={HEIGHT - 8} textAnchor="middle">
                {apart > 56 ? `round ${round.round}` : round.round}
              </text>
            ))}
            {apart <= 56 && (
              <text className="soft" x={LEFT - 8} y={HEIGHT - 8} textAnchor="end">
                round
              </text>
            )}
          </>
        )
      }}
    </Drawing>
  )
}

function Paths({
  rounds,
  x,
  y,
}: {
  rounds: Round[]
  x: (place: number) => number
  y: (value: number) => number
}) {
  const people = [...new Set(rounds.flatMap((round) => round.estimates.map((one) => one.participantIndex)))]
  const points = (person: number) =>
    rounds
      .flatMap((round, place) =>
        round.estimates.flatMap((one) =>
          one.participantIndex === person && one.estimate != null ? [`${x(place)},${y(one.estimate)}`] : [],
        ),
      )
      .join(' ')
  return people.map((person) => (
    <polyline key={person} className={`thin ${seatClass(person)}`} points={points(person)} />
  ))
}

function Estimates({ round, x, y }: { round: Round; x: number; y: (value: number) => number }) {
  const outliers = numericOf(round)?.outliers ?? []
  const drawn: number[] = []
  return round.estimates.map((one) => {
    if (one.estimate == null) return null
    const height = y(one.estimate)
    // Like estimates stand side by side.
    const near = drawn.filter((other) => Math.abs(other - height) < 11).length
    drawn.push(height)
    const at = x + (near % 2 ? 1 : -1) * Math.ceil(near / 2) * 13
    return (
      <g key={one.participantIndex} className={seatClass(one.participantIndex)}>
        {outliers.includes(one.participantIndex) && <circle className="ring" cx={at} cy={height} r="11" />}
        <SignAt seat={one.participantIndex} x={at} y={height} size={12} hollow={one.carriedForward} />
      </g>
    )
  })
}

export function Figures({ rounds, kind }: { rounds: Round[]; kind: Classification | undefined }) {
  const scale = kind?.scale
  return (
    <Table
      label="The figures of each round"
      head={[
        'Round',
        'Median',
        'Middle half',
        'Mean',
        'Spread',
        'Changed',
        'Closer to the median',
        'Confidence low, medium, high',
      ]}
      rows={rounds.map((round) => {
        const one = numericOf(round)
        if (!one) return [round.round, '–', '–', '–', '–', '–', '–', '–']
        const { low, medium, high } = one.confidenceCounts
        return [
          round.round,
          amount(one.median, scale),
          `${amount(one.q1, scale)} – ${amount(one.q3, scale)}`,
          amount(one.mean, scale),
          decimal(one.cv, 2),
          one.changedCount,
          one.towardMedianCount,
          `${low}, ${medium}, ${high}`,
        ]
      })}
    />
  )
}

/** What a participant's words were counted as. */
function answerOf(round: Round, one: Estimate): string {
  return (
    round.codebook?.assignment.find((given) => given.participantIndex === one.participantIndex)?.option ??
    one.answer ??
    ''
  )
}

const CELL = 28
const APART = 10
const HEAD = 24

interface Cell {
  person: number
  answer: string
  y: number
  height: number
  first: boolean
}

/** The cells of a round's bar: one per participant, those who answer alike together, the answers always in one order. */
function barOf(round: Round, answers: string[], most: number): Cell[] {
  const height = (most * CELL) / Math.max(1, round.estimates.length)
  let y = HEAD
  return answers.flatMap((answer) => {
    const those = round.estimates.filter((one) => answerOf(round, one) === answer)
    const cells = those.map((one, place) => ({
      person: one.participantIndex,
      answer,
      y: y + place * height,
      height,
      first: place === 0,
    }))
    if (those.length > 0) y += those.length * height + APART
    return cells
  })
}

/** A bar of shares per round, and who went from which answer to which. */
export function Moves({ rounds, options }: { rounds: Round[]; options: string[] | null | undefined }) {
  const given = [...new Set(rounds.flatMap((round) => round.estimates.map((one) => answerOf(round, one))))]
  const answers = [
    ...(options ?? []).filter((one) => given.includes(one)),
    ...given.filter((one) => !options?.includes(one)),
  ]
  if (answers.length === 0) return <p className="hint">No answer could be read.</p>
  const most = Math.max(...rounds.map((round) => round.estimates.length))
  const bars = rounds.map((round) => barOf(round, answers, most))
  const moved = rounds.flatMap((round, place) =>
    place === 0
      ? []
      : bars[place]!.filter((cell) =>
          bars[place - 1]!.some((before) => before.person === cell.person && before.answer !== cell.answer),
        ).map((cell) => `participant ${cell.person} to ${cell.answer} in round ${round.round}`),
  )
  return (
    <>
      <Drawing
        className="moves"
        label={moved.length > 0 ? `Who moved: ${moved.join('; ')}.` : 'Nobody moved.'}
        height={HEAD + most * CELL + (answers.length - 1) * APART + 4}
        caption={
          rounds.length > 1
            ? 'Each bar is the whole panel; strong bands are participants who changed their answer.'
            : undefined
        }
      >
        {(width) => {
          const count = rounds.length
          const gap = count > 1 ? Math.max(22, Math.min(110, (width * 0.35) / (count - 1))) : 0
          const bar = Math.min(count > 1 ? width : 260, (width - gap * (count - 1)) / count)
          const x = (place: number) => tenth(place * (bar + gap))
          return (
            <>
              {bars.slice(1).flatMap((cells, place) =>
                cells.map((cell) => {
                  const before = bars[place]!.find((one) => one.person === cell.person)
                  return (
                    before && (
                      <path
                        key={`${place} ${cell.person}`}
                        className={`${before.answer === cell.answer ? 'stayed' : 'moved'} ${seatClass(cell.person)}`}
                        d={ribbon(
                          x(place) + bar,
                          before.y + 4,
                          x(place + 1),
                          cell.y + 4,
                          before.height - 8,
                          cell.height - 8,
                        )}
                      />
                    )
                  )
                }),
              )}
              {bars.map((cells, place) => (
                <Bar
                  key={rounds[place]!.round}
                  round={rounds[place]!}
                  cells={cells}
                  x={x(place)}
                  width={bar}
                />
              ))}
            </>
          )
        }}
      </Drawing>
      <ShareTable rounds={rounds} answers={answers} />
    </>
  )
}

function Bar({ round, cells, x, width }: { round: Round; cells: Cell[]; x: number; width: number }) {
  const winner = sharesOf(round)?.mode
  const blocks = [...new Set(cells.map((cell) => cell.answer))]
  return (
    <>
      <text className="soft" x={x} y={13}>
        {width > 56 ? `round ${round.round}` : round.round}
      </text>
      {blocks.map((answer) => {
        const those = cells.filter((cell) => cell.answer === answer)
        return (
          <rect
            key={answer}
            className={answer === winner ? 'block leading' : 'block'}
            x={x}
            y={tenth(those[0]!.y)}
            width={tenth(width)}
            height={tenth(those.length * those[0]!.height)}
          />
        )
      })}
      {cells.map((cell) => (
        <g key={cell.person}>
          <SignAt
            seat={cell.person}
            x={x + 14}
            y={cell.y + cell.height / 2}
            size={12}
            hollow={round.estimates.some((one) => one.participantIndex === cell.person && one.carriedForward)}
          />
          {cell.first && (
            <text x={tenth(x + 27)} y={tenth(cell.y + cell.height / 2 + 4)}>
              {truncate(cell.answer, width - 32)}
              <title>{cell.answer}</title>
            </text>
          )}
        </g>
      ))}
    </>
  )
}

function ShareTable({ rounds, answers }: { rounds: Round[]; answers: string[] }) {
  return (
    <Table
      label="Who answered what in each round"
      head={['Answer', ...rounds.map((round) => `Round ${round.round}`)]}
      rows={answers.map((answer) => [
        <span key="answer" dir="auto">
          {answer}
        </span>,
        ...rounds.map((round) => {
          const those = round.estimates.filter((one) => answerOf(round, one) === answer)
          const share = sharesOf(round)?.distribution.find((one) => one.answer === answer)?.percentage
          return those.length === 0 ? (
            <span key={round.round} className="note">
              nobody
            </span>
          ) : (
            <span key={round.round} className="share">
              {those.map((one) => (
                <span key={one.participantIndex} title={`participant ${one.participantIndex}`}>
                  <Sign seat={one.participantIndex} size={12} />
                  <span className="unseen">participant {one.participantIndex} </span>
                </span>
              ))}
              <span>{share == null ? plural(those.length, 'participant') : `${decimal(share, 0)}%`}</span>
            </span>
          )
        }),
      ])}
    />
  )
}
