import type { ModePart } from '../../run/mode_part'
import { numbered } from '../../run/stages'

export const part: ModePart = {
  names: { rag: 'Templates', round: 'Round', synthesis: 'Synthesis', auto_score: 'Grade' },
  stepName: numbered({ proposal_round: 'Proposal', critique_round: 'Critique' }),
  plan: ['Templates', 'Round', 'Synthesis'],
  picture: () => import('./picture'),
}
