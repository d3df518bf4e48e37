import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { specialist: 'Experts', cross_review: 'Cross-review', synthesis: 'Synthesis' },
  placeholder: 'The proposal to be looked at…',
  judgesText: true,
  parallelSteps: /^(specialist|cross_review)_/,
  plan: ['Experts', 'Cross-review', 'Synthesis'],
  picture: () => import('./picture'),
}
