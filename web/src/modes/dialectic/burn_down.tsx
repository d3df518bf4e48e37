import { decimal } from '../../ui/format'
import type { Events } from './wire'

type Round = Events['round_complete']['data']

const SEVERITIES = ['critical', 'major', 'minor'] as const

const TOP = 62
const HIGH = 120
const STEP = 92

/** Open issues per round as stacked bars; above them the skeptic's score as a line, from 0 to 10. */
export function BurnDown({ rounds }: { rounds: Round[] }) {
  const open = (round: Round) => round.openIssues.critical + round.openIssues.major + round.openIssues.minor
  const most = Math.max(1, ...rounds.map(open))
  const [width, floor] = [50 + rounds.length * STEP + 10, TOP + 16 + HIGH]
  const x = (place: number) => 50 + place * STEP + STEP / 2
  const y = (count: number) => floor - (count / most) * HIGH
  const line = rounds.flatMap((round, place) =>
    round.score === null
      ? []
      : [{ at: x(place), to: TOP - (round.score / 10) * (TOP - 16), value: round.score, round: round.round }],
  )
  const label = rounds
    .map(
      (round) =>
        `round ${round.round}: ${SEVERITIES.map((name) => `${round.openIssues[name]} ${name}`).join(', ')} open, score ${decimal(round.score)}`,
    )
    .join('; ')
  return (
    <figure className="burn-down">
      <svg viewBox={`0 0 ${width} ${floor + 26}`} width={width} role="img" aria-label={label}>
        <path className="burn-panel" d={`M50 16H${width}M50 ${TOP}H${width}`} />
        <path className="burn-axis" d={`M50 ${TOP + 16}V${floor}H${width}`} />
        {[
          ['10', 20],
          ['0', TOP + 4],
          [String(most), TOP + 24],
          ['0', floor],
        ].map(([text, at], place) => (
          <text key={place} x="42" y={at} textAnchor="end">
            {text}
          </text>
        ))}
        <text x="0" y={TOP / 2 + 12}>
          score
        </text>
        <text x="0" y={TOP + 20 + HIGH / 2}>
          open
        </text>
        {rounds.map((round, place) => (
          <g key={round.round}>
            <IssueStack round={round} x={x(place)} y={y} />
            <text x={x(place)} y={floor + 18} textAnchor="middle">
              Round {round.round}
            </text>
          </g>
        ))}
        {line.length > 1 && (
          <polyline className="burn-line" points={line.map((one) => `${one.at},${one.to}`).join(' ')} />
        )}
        {line.map((one) => (
          <g key={one.round}>
            <circle className="burn-dot" cx={one.at} cy={one.to} r="4.500" />
            <text className="burn-score" x={one.at + 9} y={one.to + 13}>
              {decimal(one.value, Number.isInteger(one.value) ? 0 : 1)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption>Issues that were open after each round, and the skeptic’s score of 10.</figcaption>
    </figure>
  )
}

/** The heavier an issue, the higher it lies. */
function IssueStack({ round, x, y }: { round: Round; x: number; y: (count: number) => number }) {
  const { critical, major, minor } = round.openIssues
  const layers = [
    { name: 'minor', count: minor, from: 0 },
    { name: 'major', count: major, from: minor },
    { name: 'critical', count: critical, from: minor + major },
  ].filter((layer) => layer.count > 0)
  if (layers.length === 0) {
    return (
      <text x={x} y={y(0) - 6} textAnchor="middle">
        none
      </text>
    )
  }
  return layers.map(({ name, count, from }) => {
    const [top, bottom] = [y(from + count), y(from)]
    return (
      <g key={name} className={`burn-${name}`}>
        <rect x={x - 32} y={top} width="64" height={Math.max(2, bottom - top - 1.5)} />
        {bottom - top > 13 && (
          <text className="burn-count" x={x} y={(top + bottom) / 2 + 4} textAnchor="middle">
            {count} {name}
          </text>
        )}
      </g>
    )
  })
}
