import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { answer } from '../../../src/modes/brainstorm/picture'
import type { Story } from '../../../src/run/story'

const byline = (tiedClusterIds: string[]) => {
  const rankedClusters = ['Barn', 'Boat', 'Bus'].map((name, place) => ({ id: `cluster_${place}`, name }))
  const data = { proposal: '', model: null, winningClusterId: 'cluster_0', winningClusterName: 'Barn' }
  const event = {
    id: 2,
    type: 'refinement_complete',
    data: { ...data, winningScore: 11, tiedClusterIds, rankedClusters },
  }
  return renderToStaticMarkup(answer({ events: [event] } as unknown as Story)?.by)
}

test('a cluster that won by a tie says with whom', () => {
  expect(byline([])).toContain('From “Barn”, 11.0 of 15')
  expect(byline(['cluster_0', 'cluster_1', 'cluster_2'])).toContain(
    'From “Barn”, tied with “Boat” and “Bus”, 11.0 of 15',
  )
})
