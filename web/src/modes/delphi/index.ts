import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { classify: 'The kind of question', round: 'Round', synthesis: 'Synthesis' },
  plan: ['The kind of question', 'Round', 'Synthesis'],
  picture: () => import('./picture'),
}
