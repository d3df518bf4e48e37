import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { specialist: 'Experts', cross_review: 'Cross-review', synthesis: 'Synthesis' },
  placeholder: 'The proposal to be looked at…',
  parallelSteps: /^(specialist|cross_review)_/,
  picture: () => import('./picture'),
}
