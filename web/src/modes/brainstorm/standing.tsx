import { decimal, plural } from '../../ui/format'
import { Section } from '../../ui/section'
import { Table } from '../../ui/table'
import type { Events, RankedCluster } from './wire'

type Clustering = Events['clustering_complete']['data']
type Scorer = Events['scorer_complete']['data']
type Ranking = Events['all_scoring_complete']['data']

export function Standing({
  ranking,
  clustering,
  scorers,
  winner,
}: {
  ranking: Ranking
  clustering: Clustering | undefined
  scorers: Scorer[]
  winner: string | undefined
}) {
  const scored = ranking.rankedClusters.filter(
    (one) => one.averageFeasibility !== null && one.averageImpact !== null,
  )
  const sizes = new Map(clustering?.clusters.map((one) => [one.id, one.ideaCount]) ?? [])
  return (
    <Section title="How the clusters compare" note={plural(ranking.scorerCount, 'scorer')}>
      {ranking.rankingMethod === 'promise' && (
        <p className="callout">
          Too few scores could be read, so the clusters are ranked by how promising the curator found them.
        </p>
      )}
      <div className="standing">
        {scored.length > 0 && (
          <Bubbles
            scored={scored}
            sizes={sizes}
            scorers={scorers.filter((one) => one.valid)}
            winner={winner}
          />
        )}
        <Table
          label="Clusters by score"
          head={['Rank', 'Cluster', 'New', 'Feasible', 'Impact', 'Of\u00a015', 'Spread']}
          rows={ranking.rankedClusters.map((one) => [
            one.rank,
            <span key="name" dir="auto">
              {one.name}
            </span>,
            decimal(one.averageNovelty),
            decimal(one.averageFeasibility),
            decimal(one.averageImpact),
            <strong key="sum">{decimal(one.adjustedScore ?? one.averageScore)}</strong>,
            one.scoreStdDev === null ? '–' : `± ${decimal(one.scoreStdDev)}`,
          ])}
        />
      </div>
    </Section>
  )
}

/** Feasibility to the right, impact upwards; size is the number of ideas, shade how new they are, and the whiskers
 *  reach from the lowest to the highest score that was given. */
function Bubbles({
  scored,
  sizes,
  scorers,
  winner,
}: {
  scored: RankedCluster[]
  sizes: Map<string, number>
  scorers: Scorer[]
  winner: string | undefined
}) {
  const x = (value: number) => 36 + ((value - 1) / 4) * 280
  const y = (value: number) => 272 - ((value - 1) / 4) * 240
  const range = (id: string, what: 'feasibility' | 'impact') => {
    const all = scorers.flatMap((one) =>
      one.scores.filter((score) => score.clusterId === id).map((score) => score[what]),
    )
    return all.length > 1 ? ([Math.min(...all), Math.max(...all)] as const) : null
  }
  const opinions = scored
    .map(
      (one) =>
        `${one.rank}. ${one.name}: feasibility ${decimal(one.averageFeasibility)}, impact ${decimal(one.averageImpact)}, novelty ${decimal(one.averageNovelty)}`,
    )
    .join('; ')
  // The best is drawn last, on top.
  const drawn = scored.toSorted((a, b) => b.rank - a.rank)
  return (
    <figure className="bubbles">
      <svg viewBox="0 0 340 310" role="img" aria-label={opinions}>
        {[1, 2, 3, 4, 5].map((tick) => (
          <g key={tick}>
            <path className="bubble-grid" d={`M${x(tick)} ${y(5)}V${y(1)}M${x(1)} ${y(tick)}H${x(5)}`} />
            <text x={x(tick)} y="288" textAnchor="middle">
              {tick}
            </text>
            <text x="24" y={y(tick) + 4} textAnchor="end">
              {tick}
            </text>
          </g>
        ))}
        <text x={x(5)} y="305" textAnchor="end">
          feasibility →
        </text>
        <text x="8" y="18">
          ↑ impact
        </text>
        {drawn.map((one) => {
          const radius = 8 + Math.sqrt(sizes.get(one.id) ?? 1) * 4
          const [cx, cy] = [x(one.averageFeasibility!), y(one.averageImpact!)]
          const [across, up] = [range(one.id, 'feasibility'), range(one.id, 'impact')]
          return (
            <g key={one.id}>
              {across && (
                <path
                  className="bubble-whisker"
                  d={`M${x(across[0])} ${cy}H${x(across[1])}M${x(across[0])} ${cy - 4}v8M${x(across[1])} ${cy - 4}v8`}
                />
              )}
              {up && (
                <path
                  className="bubble-whisker"
                  d={`M${cx} ${y(up[0])}V${y(up[1])}M${cx - 4} ${y(up[0])}h8M${cx - 4} ${y(up[1])}h8`}
                />
              )}
              {one.id === winner && <circle className="bubble-winner" cx={cx} cy={cy} r={radius + 4} />}
              <circle
                className={`bubble novelty-${Math.round(one.averageNovelty ?? 3)}`}
                cx={cx}
                cy={cy}
                r={radius}
              />
            </g>
          )
        })}
        {drawn.map((one) => (
          <text
            key={one.id}
            className="on-bubble"
            x={x(one.averageFeasibility!)}
            y={y(one.averageImpact!) + 4}
            textAnchor="middle"
          >
            {together(one, scored)}
          </text>
        ))}
      </svg>
      <figcaption>
        Size: number of ideas. Stronger colour: more novel. Whiskers: lowest to highest score.
        {winner && ' Ringed: chosen.'}
      </figcaption>
    </figure>
  )
}

/** Ranks that stand on one spot are named together, by the best of them. */
function together(one: RankedCluster, scored: RankedCluster[]): string {
  const here = scored.filter(
    (other) =>
      other.averageFeasibility === one.averageFeasibility && other.averageImpact === one.averageImpact,
  )
  return here[0] === one ? here.map((other) => other.rank).join('·') : ''
}
