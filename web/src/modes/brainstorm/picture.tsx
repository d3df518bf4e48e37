import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { decimal, listed, percent, plural } from '../../ui/format'
import { SeatLabel } from '../../ui/seats'
import { Badge, Section } from '../../ui/section'
import { Clusters } from './clusters'
import { ByModel, ideasOf } from './ideas'
import { Standing } from './standing'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const refinement = last(story, 'refinement_complete')?.data
  if (!refinement) return null
  const level = refinement.rankedClusters.filter(
    (one) => one.id !== refinement.winningClusterId && refinement.tiedClusterIds.includes(one.id),
  )
  const by = (
    <>
      From “{refinement.winningClusterName}”
      {level.length > 0 && `, tied with ${listed(level.map((one) => `“${one.name}”`))}`}
      {refinement.winningScore === null ? '' : `, ${decimal(refinement.winningScore)} of 15`}{' '}
      {refinement.model ? (
        <SeatLabel model={refinement.model} role="refiner" />
      ) : (
        <Badge kind="stood">a digest; no model wrote it up</Badge>
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
  const refinement = last(story, 'refinement_start')?.data
  const winner = refinement?.cluster.id
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
            tied={refinement?.tiedClusterIds ?? []}
          />
        ) : (
          <ByModel ideation={ideation} />
        )}
      </Section>
      {clustering && (
        <Section title="Who had which ideas" folded>
          <ByModel ideation={ideation} />
        </Section>
      )}
    </>
  )
}
