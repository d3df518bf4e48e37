import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { classify: 'Question type', round: 'Round', synthesis: 'Synthesis' },
  plan: ['Question type', 'Round', 'Synthesis'],
  picture: () => import('./picture'),
}
