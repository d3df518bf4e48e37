import { AbsentSeats } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, percent, plural } from '../../ui/format'
import { type Band, Gauge } from '../../ui/gauge'
import { SeatTexts } from '../../ui/seat_texts'
import { SeatLabel, shortModel } from '../../ui/seats'
import { Section } from '../../ui/section'
import { Bracket } from './bracket'
import type { Events } from './wire'
import './picture.css'

const { last } = eventsOf<Events>()

type BracketSeeds = Events['bracket_seeded']['data']
type Champion = Events['winner_declared']['data']

const STEADY: Band[] = [
  { from: 0, to: 50, name: 'the order decides the verdict', kind: 'bad' },
  { from: 50, to: 80, name: 'the judge is fairly consistent', kind: 'fair' },
  { from: 80, to: 100, name: 'the judge is consistent', kind: 'good' },
]

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
          note={`${plural(bracket.seeds.length - 1, 'match', 'matches')}, ${bracket.seeding === 'listed' ? 'seeded as listed' : 'random seeding'}`}
        >
          <Bracket bracket={bracket} story={story} answers={answers ?? []} champion={champion} />
          <AbsentSeats failures={bracket.failedContestants} lacks="did not answer" />
          {champion?.judgeConsistency != null && (
            <Gauge
              value={Math.round(champion.judgeConsistency * 100)}
              bands={STEADY}
              text={percent(champion.judgeConsistency)}
              label="Same verdict in both orders"
            >
              <span className="note">same verdict with the order swapped</span>
            </Gauge>
          )}
          {champion && <Standings champion={champion} />}
        </Section>
      )}
      {answers && (
        <Section title="What each answered" folded>
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
  return `It ${steps.length > 1 ? `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}` : (steps[0] ?? 'had no opponents')}.`
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
