import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { ideation: 'Ideas', clustering: 'Clusters', scoring: 'Scores', refinement: 'Proposal' },
  parallelSteps: /^(ideation|scoring)_/,
  placeholder: 'What do you need ideas for?',
  plan: ['Ideas', 'Clusters', 'Scores', 'Proposal'],
  picture: () => import('./picture'),
}
