import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { answers: 'Answers', synthesis: 'Synthesis' },
  picture: () => import('./picture'),
}
