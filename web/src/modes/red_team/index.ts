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
  judgesText: true,
  seatOf: (step) => (/^(generate|defend)/.test(step) ? AUTHOR : step.startsWith('attack') ? ATTACKER : null),
  label: 'Text to attack',
  placeholder: 'Paste the plan, text or code to attack…',
  plan: ['Draft', 'Attack', 'Defence', 'Judgement'],
  picture: () => import('./picture'),
}
