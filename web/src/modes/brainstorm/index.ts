import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { ideation: 'Ideas', clustering: 'Clusters', scoring: 'Scores', refinement: 'Proposal' },
  placeholder: 'The challenge to find ideas for…',
  parallelSteps: /^(ideation|scoring)_/,
  plan: ['Ideas', 'Clusters', 'Scores', 'Proposal'],
  picture: () => import('./picture'),
}
