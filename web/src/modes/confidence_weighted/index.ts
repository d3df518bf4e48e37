import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { answers: 'Answers', answer: 'Answers', synthesis: 'Synthesis' },
  plan: ['Answers', 'Synthesis'],
  picture: () => import('./picture'),
}
