import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { rag: 'Templates', round: 'Round', synthesis: 'Synthesis' },
  plan: ['Templates', 'Round', 'Synthesis'],
  picture: () => import('./picture'),
}
