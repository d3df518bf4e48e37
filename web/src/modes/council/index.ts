import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { stage1: 'Answers', stage2: 'Rankings', stage3: 'Synthesis' },
  // Its first event opens the run and the first stage at once.
  isStage: () => true,
  plan: ['Answers', 'Rankings', 'Synthesis'],
  picture: () => import('./picture'),
}
