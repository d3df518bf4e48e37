import type { ModePart } from '../../run/mode_part'
import { numbered } from '../../run/stages'

export const part: ModePart = {
  names: {
    generate: 'Draft',
    attack: 'Attack',
    defend: 'Defence',
    synthesis: 'Judgement',
    synthesize: 'Judgement',
  },
  stepName: numbered({ attack_round: 'Attack', defend_round: 'Defence' }),
  judgesText: true,
  label: 'Text to attack',
  placeholder: 'Paste the plan, text or code to attack…',
  plan: ['Draft', 'Attack', 'Defence', 'Judgement'],
  picture: () => import('./picture'),
}
