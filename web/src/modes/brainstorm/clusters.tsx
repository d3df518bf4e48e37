import { plural } from '../../ui/format'
import { SeatLabel } from '../../ui/seats'
import { Badge, Fold } from '../../ui/section'
import { type Idea, IdeaCard } from './ideas'
import type { Events } from './wire'

type Clustering = Events['clustering_complete']['data']
type Cluster = Clustering['clusters'][number]
type Scorer = Events['scorer_complete']['data']
type Ranking = Events['all_scoring_complete']['data']

const PROMISE: Record<Cluster['promise'], string> = { HIGH: 'good', MEDIUM: 'fair', LOW: 'stood' }

export function Clusters({
  clustering,
  ranking,
  scorers,
  ideas,
  winner,
  tied,
}: {
  clustering: Clustering
  ranking: Ranking | undefined
  scorers: Scorer[]
  ideas: Map<string, Idea>
  winner: string | undefined
  tied: readonly string[]
}) {
  const place = new Map(ranking?.rankedClusters.map((one) => [one.id, one]) ?? [])
  const clusters = clustering.clusters.toSorted(
    (a, b) => (place.get(a.id)?.rank ?? 99) - (place.get(b.id)?.rank ?? 99),
  )
  const left = clustering.unclusteredIds.flatMap((id) => ideas.get(id) ?? [])
  return (
    <>
      {clustering.fallback === 'agglomerative' && (
        <p className="callout">No model could group the ideas, so they are grouped by their wording.</p>
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
              {tied.includes(cluster.id) && <Badge kind="fair">tied</Badge>}
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
          <section className="cluster loose" aria-label="Not in a cluster">
            <h4>Not in a cluster</h4>
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
