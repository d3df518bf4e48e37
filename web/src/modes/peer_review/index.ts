import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { reviewers: 'Reviews', consolidation: 'Consolidation' },
  judgesText: true,
  parallelSteps: /^(review)_/,
  label: 'Text to review',
  placeholder: 'Paste the text to review…',
  plan: ['Reviews', 'Consolidation'],
  picture: () => import('./picture'),
}
