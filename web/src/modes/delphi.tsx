import { Badge, Part, Table, Texts, figure, many, seconds, words } from '../parts'
import { Who, seatClass, signPath } from '../seats'
import { every, last } from '../story'
import type { ModeEvents } from '../wire'
import type { ModePart } from './part'

type Round = ModeEvents['delphi']['round_complete']['data']

const STOPPED: Record<string, [kind: string, said: string]> = {
  converged: ['good', 'Converged'],
  stable: ['fair', 'Stable disagreement'],
}

export const delphi: ModePart = {
  answer(story) {
    const done = last(story, 'delphi', 'synthesis_complete')?.data
    if (!done) return null
    const [kind, said] = STOPPED[done.stopReason] ?? ['fair', words(done.stopReason)]
    return { text: `**${done.resultLine}**\n\n${done.report}`, by: <Badge kind={kind}>{said}</Badge> }
  },
  Picture({ story }) {
    const rounds = every(story, 'delphi', 'round_complete').map((event) => event.data).sort((a, b) => a.round - b.round)
    const kind = last(story, 'delphi', 'classify_complete')?.data
    const named = new Map(last(story, 'delphi', 'synthesis_complete')?.data.participants.map((one) => [one.participantIndex, one.model]) ?? [])
    if (rounds.length === 0) return null
    const numeric = rounds.some((round) => round.stats && 'median' in round.stats)
    return (
      <>
        <Part title={numeric ? 'How the estimates moved' : 'How the answers moved'} note={`${many(rounds.length, 'round')}${kind?.unit ? `, in ${kind.unit}` : ''}`}>
          {numeric ? <Convergence rounds={rounds} magnitude={kind?.scale === 'MAGNITUDE'} /> : <Shares rounds={rounds} />}
        </Part>
        {rounds.map((round) => (
          <Part key={round.round} title={`Round ${round.round}`} note={round.converged ? 'agreed' : undefined}>
            <Texts
              entries={round.estimates.map((one) => ({
                seat: one.participantIndex,
                model: named.get(one.participantIndex),
                role: `participant ${one.participantIndex}`,
                text: one.reasoning ?? one.rawText,
                note: `${one.estimate ?? one.answer ?? 'unreadable'} · ${one.confidence.toLowerCase()} confidence${one.changed ? ' · changed' : ''}${one.carriedForward ? ' · carried forward' : ''}${one.responseTimeMs == null ? '' : ` · ${seconds(one.responseTimeMs)}`}`,
              }))}
            />
          </Part>
        ))}
      </>
    )
  },
}

/** One line per participant, the median bold, the middle half shaded, outliers ringed. */
function Convergence({ rounds, magnitude }: { rounds: Round[]; magnitude: boolean }) {
  const [width, height, left, edge] = [620, 240, 86, 18]
  const all = rounds.flatMap((round) => round.estimates.flatMap((one) => (one.estimate == null ? [] : [one.estimate])))
  const log = magnitude && all.every((value) => value > 0)
  const at = (value: number) => (log ? Math.log10(value) : value)
  const [low, high] = [Math.min(...all.map(at)), Math.max(...all.map(at))]
  const span = high - low || Math.abs(high) || 1
  const y = (value: number) => height - 34 - ((at(value) - low) / span) * (height - 34 - edge)
  const x = (place: number) => (rounds.length > 1 ? left + 24 + (place / (rounds.length - 1)) * (width - left - 64) : (left + width) / 2)
  const stats = rounds.map((round) => (round.stats && 'median' in round.stats ? round.stats : null))
  const band = [...stats.map((one, place) => one && `${x(place)},${y(one.q3)}`), ...stats.map((one, place) => one && `${x(place)},${y(one.q1)}`).reverse()].filter(Boolean)
  const said = stats.map((one, place) => `round ${rounds[place]!.round}: median ${one ? shown(one.median) : 'unknown'}`).join('; ')
  const people = [...new Set(rounds.flatMap((round) => round.estimates.map((one) => one.participantIndex)))]
  const ticks = [Math.min(...all), Math.max(...all)]
  return (
    <figure className="convergence">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={said}>
        {[...new Set(ticks)].map((value) => (
          <g key={value}>
            <path className="rest" d={`M${left} ${y(value)}H${width - 10}`} />
            <text x={left - 8} y={y(value) + 4} textAnchor="end">
              {shown(value)}
            </text>
          </g>
        ))}
        {rounds.length > 1 ? <polygon className="band" points={band.join(' ')} /> : stats[0] && <rect className="band" x={x(0) - 70} width="140" y={y(stats[0].q3)} height={Math.max(1, y(stats[0].q1) - y(stats[0].q3))} />}
        {people.map((person) => (
          <polyline key={person} className={`thin ${seatClass(person)}`} points={points(person)} />
        ))}
        <polyline className="median" points={stats.flatMap((one, place) => (one ? [`${x(place)},${y(one.median)}`] : [])).join(' ')} />
        {stats.map((one, place) => one && <path key={place} className="median" d={`M${x(place) - 12} ${y(one.median)}h24`} />)}
        {rounds.flatMap((round, place) =>
          round.estimates.filter((one) => one.estimate != null).map((one, order) => {
            const outlier = round.stats && 'outliers' in round.stats && round.stats.outliers.includes(one.participantIndex)
            const shift = rounds.length === 1 ? (order - (round.estimates.length - 1) / 2) * 30 : 0
            return (
              <g key={`${place}.${one.participantIndex}`} className={seatClass(one.participantIndex)} transform={`translate(${x(place) + shift} ${y(one.estimate!)})`}>
                {outlier && <circle className="ring" r="10" />}
                <path className="sign-shape" d={signPath(one.participantIndex)} transform="scale(.75) translate(-8 -8)" fillRule="evenodd" />
              </g>
            )
          }),
        )}
        {rounds.map((round, place) => (
          <text key={round.round} x={x(place)} y={height - 8} textAnchor="middle">
            round {round.round}
          </text>
        ))}
      </svg>
      <figcaption>The bold line is the median, the shaded part the middle half{log ? ', on a scale by powers of ten' : ''}; outliers are ringed.</figcaption>
    </figure>
  )

  function points(person: number): string {
    return rounds.flatMap((round, place) => round.estimates.flatMap((one) => (one.participantIndex === person && one.estimate != null ? [`${x(place)},${y(one.estimate)}`] : []))).join(' ')
  }
}

const shown = (value: number) => (Math.abs(value) >= 10_000 ? value.toLocaleString('en', { maximumSignificantDigits: 4 }) : figure(value, Number.isInteger(value) ? 0 : 2))

function Shares({ rounds }: { rounds: Round[] }) {
  const answers = [...new Set(rounds.flatMap((round) => (round.stats && 'distribution' in round.stats ? round.stats.distribution.map((one) => one.answer) : [])))]
  return (
    <Table
      label="Who answered what in each round"
      head={['Answer', ...rounds.map((round) => `Round ${round.round}`)]}
      rows={answers.map((answer) => [
        answer,
        ...rounds.map((round) => {
          const share = round.stats && 'distribution' in round.stats ? round.stats.distribution.find((one) => one.answer === answer)?.percentage : undefined
          return (
            <span key={round.round} className="share">
              {round.estimates.filter((one) => one.answer === answer).map((one) => (
                <Who key={one.participantIndex} seat={one.participantIndex} model={`participant ${one.participantIndex}`} role="" />
              ))}
              {share == null ? '–' : ` ${figure(share, 0)} %`}
            </span>
          )
        }),
      ])}
    />
  )
}
