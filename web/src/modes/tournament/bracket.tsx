import { useState } from 'react'
import { type Story, eventsOf } from '../../run/story'
import { decimal } from '../../ui/format'
import { Sign, seatClass, shortModel } from '../../ui/seats'
import { Fold } from '../../ui/section'
import { MatchDetail, type Player } from './match'
import type { Events } from './wire'

const { every } = eventsOf<Events>()

type BracketSeeds = Events['bracket_seeded']['data']
type Match = Events['matchup_complete']['data']
type Champion = Events['winner_declared']['data']
type Answers = Events['collect_complete']['data']

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
export function Bracket({
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
            : 'The bracket is set; no match has been decided yet.'}
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
            <span title="The judge changed its mind when the order was swapped">⇄ split</span>
          )}
          {match.wasDefault && <span title="Decided by random seeding">◐ random</span>}
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
