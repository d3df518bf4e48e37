import type { ModePart } from '../../run/mode_part'
import { PROPOSER, SKEPTIC } from './roles'

export const part: ModePart = {
  names: { rag: 'Templates', round: 'Round', synthesis: 'Synthesis' },
  seatOf: (step) => (step.startsWith('proposal') ? PROPOSER : step.startsWith('critique') ? SKEPTIC : null),
  plan: ['Templates', 'Round', 'Synthesis'],
  picture: () => import('./picture'),
}
