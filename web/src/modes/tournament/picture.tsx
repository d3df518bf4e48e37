import './picture.css'
import { useState } from 'react'
import { type Band, Gauge } from '../../ui/gauge'
import { AbsentSeats } from '../../run/failures'
import { decimal, plural, percent, duration } from '../../ui/format'
import { SeatTexts } from '../../ui/seat_texts'
import { Badge, Fold, Section } from '../../ui/section'
import { Markdown } from '../../ui/markdown'
import { Sign, SeatLabel, seatClass, shortModel } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type BracketSeeds = Events['bracket_seeded']['data']
type Match = Events['matchup_complete']['data']
type Champion = Events['winner_declared']['data']
type Answers = Events['collect_complete']['data']
interface Player {
  contestantId: string
  seat: number | null
  model: string
}

const STEADY: Band[] = [
  { from: 0, to: 50, name: 'the judge depends on the order', kind: 'bad' },
  { from: 50, to: 80, name: 'the judge wavers', kind: 'fair' },
  { from: 80, to: 100, name: 'the judge is steady', kind: 'good' },
]
const DECISIONS: Record<string, string> = {
  verdicts: 'by the verdicts',
  score_margin: 'by the margin of the scores, as the verdicts were even',
  seed: 'by the draw, as neither verdicts nor scores could decide',
  identical: 'by the draw, as both answers are the same',
}

export function answer(story: Story): FinalAnswer | null {
  const champion = last(story, 'winner_declared')?.data
  if (!champion) return null
  const by = (
    <>
      Champion: <SeatLabel seat={champion.seat} model={champion.model} />{' '}
      {plural(champion.totalMatchupsWon, 'match', 'matches')} won
    </>
  )
  return {
    text: champion.response,
    by,
    head: <p className="reason">{pathWords(champion, last(story, 'bracket_seeded')?.data)}</p>,
  }
}

export function Picture({ story }: PictureProps) {
  const answers = last(story, 'collect_complete')?.data
  const bracket = last(story, 'bracket_seeded')?.data
  const champion = last(story, 'winner_declared')?.data
  return (
    <>
      {bracket && (
        <Section
          title="The bracket"
          note={`${plural(bracket.seeds.length - 1, 'match', 'matches')}, ${bracket.seeding === 'listed' ? 'seats as listed' : 'seats drawn by lot'}`}
        >
          <Bracket bracket={bracket} story={story} answers={answers ?? []} champion={champion} />
          <AbsentSeats failures={bracket.failedContestants} lacks="out before the draw" />
          {champion?.judgeConsistency != null && (
            <Gauge
              value={Math.round(champion.judgeConsistency * 100)}
              bands={STEADY}
              text={percent(champion.judgeConsistency)}
              label="Judge, the same verdict in both orders"
            >
              <span className="note">the same verdict when the order was turned</span>
            </Gauge>
          )}
          {champion && <Standings champion={champion} />}
        </Section>
      )}
      {answers && (
        <Section title="What each answered">
          <SeatTexts
            entries={answers.map((one) => ({
              seat: one.seat ?? null,
              model: one.model,
              text: one.response,
              note: duration(one.responseTimeMs),
            }))}
          />
        </Section>
      )}
    </>
  )
}

function pathWords(champion: Champion, bracket: BracketSeeds | undefined): string {
  const names = new Map(bracket?.seeds.map((one) => [one.contestantId, shortModel(one.model)]) ?? [])
  const steps = champion.bracketPath.map((step) =>
    step.result === 'bye'
      ? `had a bye in round ${step.round}`
      : `beat ${names.get(step.opponent ?? '') ?? step.opponent} in ${step.round === champion.totalRounds ? 'the final' : `round ${step.round}`}`,
  )
  return `It ${steps.length > 1 ? `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}` : (steps[0] ?? 'met nobody')}.`
}

function Standings({ champion }: { champion: Champion }) {
  const ranks = [...new Set(champion.standings.map((one) => one.rank))]
  return (
    <ol className="standings" aria-label="Standings">
      {ranks.map((rank) => (
        <li key={rank} value={rank}>
          {champion.standings
            .filter((one) => one.rank === rank)
            .map((one) => (
              <SeatLabel key={one.contestantId} seat={one.seat} model={one.model} />
            ))}
        </li>
      ))}
    </ol>
  )
}

const WIDE = 196
const BOX = 164
const TALL = 78

interface Game {
  key: string
  round: number
  index: number
  a: Player | undefined
  b: Player | undefined
  match: Match | undefined
  bye: boolean
  running: boolean
}

/** Every match of the bracket, played or not. */
function gamesOf(bracket: BracketSeeds, matches: Match[], currentRound: number): Game[] {
  const decided = new Map(matches.map((match) => [`${match.round}.${match.matchIndex}`, match]))
  const players = new Map<string, Player>(bracket.seeds.map((one) => [one.contestantId, one]))
  const winner = (round: number, index: number): Player | undefined =>
    players.get(decided.get(`${round}.${index}`)?.winnerId ?? '')
  return Array.from({ length: bracket.totalRounds }, (_, column) => column + 1).flatMap((round) =>
    Array.from({ length: 2 ** (bracket.totalRounds - round) }, (_, index) => {
      const match = decided.get(`${round}.${index}`)
      const first = round === 1 ? bracket.matchups.find((one) => one.matchIndex === index) : undefined
      const a = match?.contestantA ?? first?.contestantA ?? winner(round - 1, 2 * index)
      const b = match
        ? (match.contestantB ?? undefined)
        : first
          ? (first.contestantB ?? undefined)
          : winner(round - 1, 2 * index + 1)
      const bye = match?.isBye ?? first?.contestantB === null
      return {
        key: `${round}.${index}`,
        round,
        index,
        a,
        b,
        match,
        bye,
        running: !match && round === currentRound && !!a && !!b,
      }
    }),
  )
}

/** One column per round; a winner is carried along its line into the next column as its match is decided. */
function Bracket({
  bracket,
  story,
  answers,
  champion,
}: {
  bracket: BracketSeeds
  story: Story
  answers: Answers
  champion: Champion | undefined
}) {
  const [selected, setSelected] = useState<string | null>(null)
  const matches = every(story, 'matchup_complete').map((event) => event.data)
  const currentRound = every(story, 'round_start').length
  const games = gamesOf(bracket, matches, currentRound)
  const rounds = bracket.totalRounds
  const height = 2 ** (rounds - 1) * TALL + 26
  const [width, boxHeight] = [rounds * WIDE + BOX, 56]
  const y = (game: { round: number; index: number }) => 26 + (game.index + 0.5) * TALL * 2 ** (game.round - 1)
  const open = games.find((game) => game.key === selected)?.match
  const played = games.flatMap((game) => (game.match && !game.bye ? [game.match] : []))
  return (
    <>
      <div className="scroll" tabIndex={0} role="group" aria-label="Bracket">
        <svg className="bracket" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
          {Array.from({ length: rounds }, (_, column) => (
            <text key={column} x={column * WIDE + BOX / 2} y="13" textAnchor="middle" className="faint">
              {column + 1 === rounds ? 'Final' : column + 2 === rounds ? 'Semi-final' : `Round ${column + 1}`}
            </text>
          ))}
          {games.map((game) => {
            const [x, here] = [(game.round - 1) * WIDE, y(game)]
            const last = game.round === rounds
            const next = last ? here : y({ round: game.round + 1, index: game.index >> 1 })
            const winner = game.match ? (game.match.winner === 'Response A' ? game.a : game.b) : undefined
            const target = last ? here : next + (game.index % 2 === 0 ? -13 : 13)
            return (
              <path
                key={game.key}
                className={`path ${game.bye ? 'bye' : ''} ${winner ? `won ${seatClass(winner.seat)}` : ''}`}
                pathLength="1"
                d={`M${x + BOX} ${here}H${x + (BOX + WIDE) / 2}V${target}H${x + WIDE}`}
              />
            )
          })}
          {games.map((game) => (
            <foreignObject
              key={game.key}
              x={(game.round - 1) * WIDE}
              y={y(game) - boxHeight / 2}
              width={BOX}
              height={boxHeight}
            >
              <MatchBox
                game={game}
                ended={story.ended}
                open={selected === game.key}
                toggle={() => setSelected(selected === game.key ? null : game.key)}
              />
            </foreignObject>
          ))}
          <foreignObject
            x={rounds * WIDE}
            y={y({ round: rounds, index: 0 }) - boxHeight / 2}
            width={BOX}
            height={boxHeight}
          >
            <div className={`champion ${champion ? seatClass(champion.seat) : ''}`}>
              {champion ? (
                <>
                  <Sign seat={champion.seat} size={20} />
                  <span>
                    <span className="note">Champion</span>
                    <strong title={champion.model}>{shortModel(champion.model)}</strong>
                  </span>
                </>
              ) : (
                <span className="note">{story.ended ? 'no champion' : 'champion'}</span>
              )}
            </div>
          </foreignObject>
        </svg>
      </div>
      <p className="hint">
        {open
          ? ''
          : played.length > 0
            ? 'Choose a match to see both answers and what the judge said.'
            : 'The draw stands; no match is decided yet.'}
      </p>
      {open && <MatchDetail match={open} answers={answers} />}
      {played.length > 0 && (
        <Fold title="All matches, and what the judge said" note={played.length}>
          {played.map((match) => (
            <MatchDetail key={`${match.round}.${match.matchIndex}`} match={match} answers={[]} />
          ))}
        </Fold>
      )}
    </>
  )
}

function MatchBox({
  game,
  ended,
  open,
  toggle,
}: {
  game: Game
  ended: boolean
  open: boolean
  toggle: () => void
}) {
  const { match } = game
  if (game.bye) {
    return (
      <div className="game bye">
        <Side player={game.a} won={false} lost={false} score={null} />
        <span className="note">bye</span>
      </div>
    )
  }
  const body = (
    <>
      <Side
        player={game.a}
        won={match?.winner === 'Response A'}
        lost={match?.winner === 'Response B'}
        score={match?.scoreA ?? null}
      />
      <Side
        player={game.b}
        won={match?.winner === 'Response B'}
        lost={match?.winner === 'Response A'}
        score={match?.scoreB ?? null}
      />
      {(match?.positionConflict || match?.wasDefault) && (
        <span className="game-marks">
          {match.positionConflict && (
            <span title="The judge changed its mind when the order was turned">⇄ split</span>
          )}
          {match.wasDefault && <span title="Decided by the draw">◐ by lot</span>}
        </span>
      )}
      {!match && game.a && game.b && (
        <span className="game-marks">
          {game.running && !ended ? 'being judged' : ended ? 'no verdict' : ''}
        </span>
      )}
    </>
  )
  return match ? (
    <button type="button" data-kept className="game" aria-expanded={open} onClick={toggle}>
      {body}
    </button>
  ) : (
    <div className={`game ${game.running && !ended ? 'running' : 'empty'}`}>{body}</div>
  )
}

const Side = ({
  player,
  won,
  lost,
  score,
}: {
  player: Player | undefined
  won: boolean
  lost: boolean
  score: number | null
}) => (
  <span className={`player ${won ? 'won' : lost ? 'lost' : ''}`}>
    {player ? (
      <>
        <Sign seat={player.seat} size={12} />
        <span className="name" title={player.model}>
          {shortModel(player.model)}
        </span>
        {won && <span className="unseen">won</span>}
        <span className="score">{score === null ? '' : decimal(score)}</span>
      </>
    ) : (
      <span className="name note">–</span>
    )}
  </span>
)

/** A match from near: both answers side by side, and what was said of them in either order. */
function MatchDetail({ match, answers }: { match: Match; answers: Answers }) {
  const text = (player: Player | null) =>
    answers.find((one) => one.contestantId === player?.contestantId)?.response
  const name = (label: string | null) =>
    label === 'Response A'
      ? shortModel(match.contestantA.model)
      : label === 'Response B'
        ? shortModel(match.contestantB?.model)
        : label === 'TIE'
          ? 'a tie'
          : 'nothing that could be read'
  const winner = match.winner === 'Response A' ? match.contestantA : match.contestantB
  return (
    <section className="duel-near" aria-label={`Round ${match.round}, match ${match.matchIndex + 1}`}>
      <h4>
        {`Round ${match.round}: ${shortModel(match.contestantA.model)} and ${shortModel(match.contestantB?.model)}`}
      </h4>
      <p className="line">
        <SeatLabel seat={winner?.seat} model={winner?.model} />{' '}
        <span>won {DECISIONS[match.decidedBy ?? ''] ?? ''}.</span>
        {match.positionConflict && <Badge kind="fair">split by the order</Badge>}
        {match.wasRetry && <Badge kind="stood">judge asked twice</Badge>}
      </p>
      {match.reasoning && (
        <p className="reason" dir="auto">
          {match.reasoning}
        </p>
      )}
      {match.judgements.length > 0 && (
        <ul className="verdicts">
          {match.judgements.map((one) => (
            <li key={one.order}>
              {one.order === 'forward'
                ? shortModel(match.contestantA.model)
                : shortModel(match.contestantB?.model)}{' '}
              read first: <strong>{name(one.verdict)}</strong>
              <span className="note">
                {' '}
                {decimal(one.scoreA)} : {decimal(one.scoreB)} · {duration(one.responseTimeMs)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div className="near-two">
        {answers.length > 0 &&
          [match.contestantA, match.contestantB].map(
            (player) =>
              player && (
                <div key={player.contestantId} className={`framed ${seatClass(player.seat)}`}>
                  <p className="line">
                    <SeatLabel seat={player.seat} model={player.model} />
                  </p>
                  <div
                    className="near-text"
                    tabIndex={0}
                    role="group"
                    aria-label={`Answer of ${shortModel(player.model)}`}
                  >
                    <Markdown text={text(player) ?? 'The answer is not in the story.'} />
                  </div>
                </div>
              ),
          )}
      </div>
    </section>
  )
}
