import { Badge, Fold, Part, Table, figure, many } from '../parts'
import { Sign, Who } from '../seats'
import { every, last } from '../story'
import type { RankedCluster } from '../wire'
import type { ModePart } from './part'

const PROMISE: Record<string, string> = { HIGH: 'good', MEDIUM: 'fair', LOW: 'stood' }

export const brainstorm: ModePart = {
  answer(story) {
    const done = last(story, 'brainstorm', 'refinement_complete')?.data
    return done ? { text: done.proposal, by: `From “${done.winningClusterName}”, ${done.winningScore == null ? 'unscored' : `${figure(done.winningScore)} of 15`}` } : null
  },
  Picture({ story }) {
    const given = every(story, 'brainstorm', 'ideation_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    const whole = last(story, 'brainstorm', 'all_ideation_complete')?.data
    const grouped = last(story, 'brainstorm', 'clustering_complete')?.data
    const ranked = last(story, 'brainstorm', 'all_scoring_complete')?.data
    const ideas = new Map(given.flatMap((one) => one.ideas.map((idea) => [idea.id, { ...idea, seat: one.seat }] as const)))
    const seats = new Map(grouped?.merged.map((one) => [one.id, one.sourceSeats]) ?? [])
    const place = new Map(ranked?.rankedClusters.map((one) => [one.id, one]) ?? [])
    const clusters = grouped?.clusters.toSorted((a, b) => (place.get(a.id)?.rank ?? 99) - (place.get(b.id)?.rank ?? 99))
    return (
      <>
        {ranked && (
          <Part title="Where the clusters stand" note={many(ranked.scorerCount, 'scorer')}>
            <div className="side-by-side">
              <Bubbles ranked={ranked.rankedClusters} sizes={new Map(grouped?.clusters.map((one) => [one.id, one.ideaCount]) ?? [])} />
              <Table
                label="Clusters by score"
                head={['Cluster', 'New', 'Feasible', 'Impact', 'Sum']}
                rows={ranked.rankedClusters.map((one) => [`${one.rank}. ${one.name}`, figure(one.averageNovelty), figure(one.averageFeasibility), figure(one.averageImpact), figure(one.adjustedScore ?? one.averageScore)])}
              />
            </div>
          </Part>
        )}
        {clusters && (
          <Part title="The ideas, in clusters" note={whole && `${many(whole.totalIdeas, 'idea')}, ${whole.uniqueIdeas} of them different`}>
            {clusters.map((cluster) => (
              <Fold key={cluster.id} title={cluster.name} note={<>{many(cluster.ideaCount, 'idea')} <Badge kind={PROMISE[cluster.promise] ?? 'stood'}>{cluster.promise.toLowerCase()} promise</Badge></>}>
                <p className="hint">{cluster.theme}</p>
                <ul className="ideas">
                  {cluster.ideaIds.map((id) => {
                    const idea = ideas.get(id)
                    return (
                      <li key={id}>
                        {(seats.get(id) ?? (idea ? [idea.seat] : [])).map((seat) => (
                          <Sign key={seat} seat={seat} size={11} />
                        ))}{' '}
                        <strong>{idea?.title}</strong> {idea?.description}
                        {(seats.get(id)?.length ?? 0) > 1 && <span className="note"> proposed by {seats.get(id)!.length} models</span>}
                      </li>
                    )
                  })}
                </ul>
              </Fold>
            ))}
          </Part>
        )}
        {given.length > 0 && (
          <Part title="Who had which ideas">
            {given.map((one) => (
              <Fold key={one.seat} title={<Who seat={one.seat} model={one.model} />} note={`${many(one.ideaCount, 'idea')} · told to ${one.lens}`}>
                <ul>
                  {one.ideas.map((idea) => (
                    <li key={idea.id}>
                      <strong>{idea.title}</strong> {idea.description}
                    </li>
                  ))}
                </ul>
              </Fold>
            ))}
          </Part>
        )}
      </>
    )
  },
}

/** Feasibility to the right, impact upwards, the number of ideas as size; the winner is ringed. */
function Bubbles({ ranked, sizes }: { ranked: RankedCluster[]; sizes: Map<string, number> }) {
  const scored = ranked.filter((one) => one.averageFeasibility != null && one.averageImpact != null)
  const x = (value: number) => 34 + ((value - 1) / 4) * 240
  const y = (value: number) => 206 - ((value - 1) / 4) * 180
  const said = scored.map((one) => `${one.name}: feasibility ${figure(one.averageFeasibility)}, impact ${figure(one.averageImpact)}`).join('; ')
  return (
    <svg className="bubbles" viewBox="0 0 300 240" role="img" aria-label={said || 'no scores'}>
      <path className="rest" d="M34 14V206H286" />
      <text x="286" y="226" textAnchor="end">
        feasibility →
      </text>
      <text x="30" y="12" textAnchor="start">
        ↑ impact
      </text>
      {scored.map((one) => {
        const radius = 7 + Math.sqrt(sizes.get(one.id) ?? 1) * 4
        const [cx, cy] = [x(one.averageFeasibility!), y(one.averageImpact!)]
        return (
          <g key={one.id}>
            {one.rank === 1 && <circle className="winner" cx={cx} cy={cy} r={radius + 4} />}
            <circle className="bubble" cx={cx} cy={cy} r={radius} opacity={0.3 + ((one.averageNovelty ?? 3) / 5) * 0.6} />
            <text x={cx} y={cy + 4} textAnchor="middle" className="on-bubble">
              {one.rank}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
