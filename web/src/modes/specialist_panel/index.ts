import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { specialist: 'Experts', cross_review: 'Cross-review', synthesis: 'Synthesis' },
  judgesText: true,
  parallelSteps: /^(specialist|cross_review)_/,
  label: 'Your proposal',
  placeholder: 'Paste the proposal, or ask a question…',
  plan: ['Experts', 'Cross-review', 'Synthesis'],
  picture: () => import('./picture'),
}
