import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { classify: 'The kind of question', round: 'Round', synthesis: 'Synthesis' },
  picture: () => import('./picture'),
}
