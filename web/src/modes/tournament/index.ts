import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { collect: 'Answers', round: 'Round' },
  parallelSteps: /^(round_\d+_match)_/,
  plan: ['Answers', 'Round'],
  picture: () => import('./picture'),
}
