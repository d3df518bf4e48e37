import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: {
    generate: 'Draft',
    attack: 'Attack',
    defend: 'Defence',
    synthesis: 'Synthesis',
    synthesize: 'Judgement',
  },
  judgesText: true,
  label: 'Text to attack',
  placeholder: 'Paste the plan, text or code to attack…',
  plan: ['Draft', 'Attack', 'Defence', 'Judgement'],
  picture: () => import('./picture'),
}
