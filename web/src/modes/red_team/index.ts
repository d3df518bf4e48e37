import type { ModePart } from '../../run/mode_part'
import { ATTACKER, AUTHOR } from './roles'

export const part: ModePart = {
  names: {
    generate: 'Draft',
    attack: 'Attack',
    defend: 'Defence',
    synthesis: 'Synthesis',
    synthesize: 'Judgement',
  },
  placeholder: 'The plan, text or code to be attacked…',
  judgesText: true,
  seatOf: (step) => (/^(generate|defend)/.test(step) ? AUTHOR : step.startsWith('attack') ? ATTACKER : null),
  plan: ['Draft', 'Attack', 'Defence', 'Judgement'],
  picture: () => import('./picture'),
}
