import './picture.css'
import { decimal, plural, percent } from '../../ui/format'
import { Badge, Fold, Section } from '../../ui/section'
import { Table } from '../../ui/table'
import { Sign, SeatLabel, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events, RankedCluster } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type SeatIdeas = Events['ideation_complete']['data']
type Clustering = Events['clustering_complete']['data']
type Cluster = Clustering['clusters'][number]
type Scorer = Events['scorer_complete']['data']
type Ranking = Events['all_scoring_complete']['data']
type Idea = SeatIdeas['ideas'][number] & { seats: number[] }

const PROMISE: Record<Cluster['promise'], string> = { HIGH: 'good', MEDIUM: 'fair', LOW: 'stood' }

export function answer(story: Story): FinalAnswer | null {
  const refinement = last(story, 'refinement_complete')?.data
  if (!refinement) return null
  const by = (
    <>
      From “{refinement.winningClusterName}”
      {refinement.winningScore === null ? '' : `, ${decimal(refinement.winningScore)} of 15`}{' '}
      {refinement.model ? (
        <SeatLabel model={refinement.model} role="refiner" />
      ) : (
        <Badge kind="stood">digest, no model wrote it</Badge>
      )}
    </>
  )
  return { text: refinement.proposal, by }
}

export function Picture({ story }: PictureProps) {
  const ideation = every(story, 'ideation_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const whole = last(story, 'all_ideation_complete')?.data
  const clustering = last(story, 'clustering_complete')?.data
  const ranking = last(story, 'all_scoring_complete')?.data
  const scorers = every(story, 'scorer_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const winner = last(story, 'refinement_start')?.data.cluster.id
  if (ideation.length === 0) return null
  const ideas = ideasOf(ideation, clustering?.merged ?? whole?.merged ?? [])
  const count = ideation.reduce((sum, one) => sum + one.ideaCount, 0)
  const figures = [
    plural(count, 'idea'),
    whole &&
      `${whole.uniqueIdeas} different (${percent(whole.totalIdeas > 0 ? whole.uniqueIdeas / whole.totalIdeas : null)})`,
    clustering && plural(clustering.totalClusters, 'cluster'),
    ranking?.rankedClusters[0]?.adjustedScore != null &&
      `best ${decimal(ranking.rankedClusters[0].adjustedScore)} of 15`,
  ].filter(Boolean)
  return (
    <>
      {ranking && <Standing ranking={ranking} clustering={clustering} scorers={scorers} winner={winner} />}
      <Section title={clustering ? 'The ideas, in clusters' : 'The ideas so far'} note={figures.join(' · ')}>
        {clustering ? (
          <Clusters
            clustering={clustering}
            ranking={ranking}
            scorers={scorers}
            ideas={ideas}
            winner={winner}
          />
        ) : (
          <ByModel ideation={ideation} />
        )}
      </Section>
      {clustering && (
        <Section title="Who had which ideas">
          <ByModel ideation={ideation} />
        </Section>
      )}
    </>
  )
}

function ideasOf(ideation: SeatIdeas[], merged: Clustering['merged']): Map<string, Idea> {
  const seats = new Map(merged.map((one) => [one.id, one.sourceSeats]))
  return new Map(
    ideation.flatMap((one) =>
      one.ideas.map((idea) => [idea.id, { ...idea, seats: seats.get(idea.id) ?? [one.seat] }] as const),
    ),
  )
}

/** The cards of each seat, under the angle it was given. */
function ByModel({ ideation }: { ideation: SeatIdeas[] }) {
  return (
    <div className="idea-columns">
      {ideation.map((one) => (
        <section key={one.seat} className={seatClass(one.seat)}>
          <h4>
            <SeatLabel seat={one.seat} model={one.model} role="" hollow={one.failed} />
          </h4>
          <p className="hint">
            {one.failed ? 'had no ideas' : `${plural(one.ideaCount, 'idea')} · angle: ${one.lens}`}
          </p>
          <ul className="idea-cards">
            {one.ideas.map((idea) => (
              <IdeaCard key={idea.id} idea={{ ...idea, seats: [one.seat] }} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

const IdeaCard = ({ idea }: { idea: Idea }) => (
  <li className="idea-card">
    <details>
      <summary>
        <span className="idea-signs">
          {idea.seats.map((seat) => (
            <Sign key={seat} seat={seat} size={11} />
          ))}
        </span>
        <span dir="auto">{idea.title}</span>
      </summary>
      <p dir="auto">{idea.description}</p>
    </details>
    {idea.seats.length > 1 && <p className="note">proposed by {idea.seats.length} models</p>}
  </li>
)

function Clusters({
  clustering,
  ranking,
  scorers,
  ideas,
  winner,
}: {
  clustering: Clustering
  ranking: Ranking | undefined
  scorers: Scorer[]
  ideas: Map<string, Idea>
  winner: string | undefined
}) {
  const place = new Map(ranking?.rankedClusters.map((one) => [one.id, one]) ?? [])
  const clusters = clustering.clusters.toSorted(
    (a, b) => (place.get(a.id)?.rank ?? 99) - (place.get(b.id)?.rank ?? 99),
  )
  const left = clustering.unclusteredIds.flatMap((id) => ideas.get(id) ?? [])
  return (
    <>
      {clustering.fallback === 'agglomerative' && (
        <p className="callout">No model could group the ideas: they were put together by their words.</p>
      )}
      <div className="clusters">
        {clusters.map((cluster) => (
          <section
            key={cluster.id}
            className={cluster.id === winner ? 'cluster winning' : 'cluster'}
            aria-label={cluster.name}
          >
            <h4>
              {place.has(cluster.id) && <span className="cluster-rank">{place.get(cluster.id)!.rank}</span>}
              <span dir="auto">{cluster.name}</span>
            </h4>
            <p className="line">
              <Badge kind={PROMISE[cluster.promise]}>{`${cluster.promise.toLowerCase()} promise`}</Badge>
              {cluster.id === winner && <Badge kind="won">chosen</Badge>}
              <span className="note">{plural(cluster.ideaCount, 'idea')}</span>
            </p>
            <p className="hint" dir="auto">
              {cluster.theme}
            </p>
            <ul className="idea-cards">
              {cluster.ideaIds
                .flatMap((id) => ideas.get(id) ?? [])
                .map((idea) => (
                  <IdeaCard key={idea.id} idea={idea} />
                ))}
            </ul>
            <Opinions cluster={cluster.id} scorers={scorers} />
          </section>
        ))}
        {left.length > 0 && (
          <section className="cluster loose" aria-label="In no cluster">
            <h4>In no cluster</h4>
            <ul className="idea-cards">
              {left.map((idea) => (
                <IdeaCard key={idea.id} idea={idea} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  )
}

function Opinions({ cluster, scorers }: { cluster: string; scorers: Scorer[] }) {
  const opinions = scorers.flatMap((one) =>
    one.scores
      .filter((score) => score.clusterId === cluster)
      .map((score) => ({ ...score, seat: one.seat, model: one.model, valid: one.valid })),
  )
  if (opinions.length === 0) return null
  return (
    <Fold title="What the scorers said" note={opinions.length}>
      {opinions.map((one) => (
        <p key={one.seat} className="opinion">
          <SeatLabel seat={one.seat} model={one.model} role="" />{' '}
          <span className="note">{`new ${one.novelty}, feasible ${one.feasibility}, impact ${one.impact}${one.valid ? '' : '; not counted'}`}</span>
          {one.reason && <span dir="auto"> {one.reason}</span>}
        </p>
      ))}
    </Fold>
  )
}

function Standing({
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
    <Section title="Where the clusters stand" note={plural(ranking.scorerCount, 'scorer')}>
      {ranking.rankingMethod === 'promise' && (
        <p className="callout">
          Too few scores could be read: the clusters stand by the promise that the curator saw in them.
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
        Size: ideas. Fuller colour: newer. Whiskers: lowest to highest score.{winner && ' Ringed: chosen.'}
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
