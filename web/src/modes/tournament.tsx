import { Fold, Part, Texts, figure, many, percent, seconds } from '../parts'
import { Who, seatClass, shortModel, signPath } from '../seats'
import { every, last } from '../story'
import type { ModeEvents } from '../wire'
import type { ModePart } from './part'

type Seeded = ModeEvents['tournament']['bracket_seeded']['data']
type Match = ModeEvents['tournament']['matchup_complete']['data']
type Player = { contestantId: string; seat: number | null; model: string }

export const tournament: ModePart = {
  answer(story) {
    const won = last(story, 'tournament', 'winner_declared')?.data
    if (!won) return null
    const by = (
      <>
        Champion: <Who seat={won.seat} model={won.model} />, {many(won.totalMatchupsWon, 'match', 'matches')} won
      </>
    )
    return { text: won.response, by }
  },
  Picture({ story }) {
    const answers = last(story, 'tournament', 'collect_complete')?.data
    const seeded = last(story, 'tournament', 'bracket_seeded')?.data
    const matches = every(story, 'tournament', 'matchup_complete').map((event) => event.data).sort((a, b) => a.round - b.round || a.matchIndex - b.matchIndex)
    const won = last(story, 'tournament', 'winner_declared')?.data
    return (
      <>
        {seeded && (
          <Part title="The bracket" note={won?.judgeConsistency == null ? undefined : `the judge kept its word in ${percent(won.judgeConsistency)} of matches when the order was turned`}>
            <Bracket seeded={seeded} matches={matches} champion={won?.contestantId} />
            {matches.map((match) => match.contestantB && (
              <Fold
                key={`${match.round}.${match.matchIndex}`}
                title={
                  <>
                    Round {match.round}: <Who seat={match.contestantA.seat} model={match.contestantA.model} role="" /> against <Who seat={match.contestantB.seat} model={match.contestantB.model} role="" />
                  </>
                }
                note={`${shortModel(match.winnerModel)} won ${figure(match.scoreA)} : ${figure(match.scoreB)}${match.positionConflict ? ', the two orders disagreed' : ''}${match.wasDefault ? ', by default' : ''}`}
              >
                <p>{match.reasoning}</p>
                {match.judgements.map((one, place) => (
                  <p key={place} className="hint">
                    {one.order}: {one.verdict ?? 'unreadable'} ({figure(one.scoreA)} : {figure(one.scoreB)}), {seconds(one.responseTimeMs)}. {one.reasoning}
                  </p>
                ))}
              </Fold>
            ))}
          </Part>
        )}
        {answers && (
          <Part title="What each answered">
            <Texts entries={answers.map((one) => ({ seat: one.seat ?? null, model: one.model, text: one.response, note: seconds(one.responseTimeMs) }))} />
          </Part>
        )}
      </>
    )
  },
}

const WIDE = 170
const TALL = 44

/** One column per round; a winner is carried into the next column as its match is decided. */
function Bracket({ seeded, matches, champion }: { seeded: Seeded; matches: Match[]; champion: string | undefined }) {
  const rounds = seeded.totalRounds
  const slots = 2 ** rounds
  const height = slots * TALL
  const decided = new Map(matches.map((match) => [`${match.round}.${match.matchIndex}`, match]))
  const players = new Map<string, Player>(seeded.seeds.map((one) => [one.contestantId, one]))
  const y = (round: number, slot: number) => ((slot + 0.5) * height) / 2 ** (rounds - round + 1)
  const at = (round: number, slot: number): Player | undefined => {
    if (round > rounds) return champion ? players.get(champion) : undefined
    const match = decided.get(`${round}.${slot >> 1}`)
    if (match) return slot % 2 === 0 ? match.contestantA : (match.contestantB ?? undefined)
    if (round === 1) {
      const first = seeded.matchups.find((one) => one.matchIndex === slot >> 1)
      return slot % 2 === 0 ? first?.contestantA : (first?.contestantB ?? undefined)
    }
    const before = decided.get(`${round - 1}.${slot}`)
    return before?.winnerId ? players.get(before.winnerId) : undefined
  }
  const said = matches.map((match) => `round ${match.round}: ${match.winnerModel} beat ${match.loserModel ?? 'nobody'}`).join('; ')
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Bracket">
      <svg className="bracket" width={(rounds + 1) * WIDE + 10} height={height} viewBox={`0 0 ${(rounds + 1) * WIDE + 10} ${height}`} role="img" aria-label={said || 'not yet played'}>
        {Array.from({ length: rounds + 1 }, (_, column) =>
          Array.from({ length: 2 ** (rounds - column) }, (_, slot) => {
            const round = column + 1
            const player = at(round, slot)
            const match = decided.get(`${round}.${slot >> 1}`)
            const won = player && (round > rounds || match?.winnerId === player.contestantId)
            const [x, here, next] = [column * WIDE + 4, y(round, slot), y(round + 1, slot >> 1)]
            return (
              <g key={`${round}.${slot}`} className={player ? seatClass(player.seat) : 'nobody'}>
                {round <= rounds && <path className={won ? 'path won' : 'path'} d={`M${x + WIDE - 22} ${here}h10V${next}h12`} />}
                <rect x={x} y={here - 14} width={WIDE - 26} height="28" rx="3" className={won ? 'place won' : 'place'} />
                {player && <path className="sign-shape" d={signPath(player.seat)} transform={`translate(${x + 8} ${here - 7}) scale(.875)`} fillRule="evenodd" />}
                <text x={x + 28} y={here + 4} className={won ? 'won' : ''}>
                  {player ? shortModel(player.model).slice(0, 16) : match?.isBye ? 'bye' : ''}
                </text>
                {match?.positionConflict && slot % 2 === 1 && (
                  <text className="mark" x={x + 6} y={here - 18}>
                    split
                  </text>
                )}
              </g>
            )
          }),
        )}
      </svg>
    </div>
  )
}
