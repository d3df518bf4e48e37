import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { reviewers: 'Reviews', consolidation: 'Consolidation' },
  placeholder: 'The work to be reviewed…',
  judgesText: true,
  parallelSteps: /^(review)_/,
  plan: ['Reviews', 'Consolidation'],
  picture: () => import('./picture'),
}
