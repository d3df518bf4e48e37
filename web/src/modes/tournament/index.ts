import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { collect: 'Answers', round: 'Round' },
  parallelSteps: /^(round_\d+_match)_/,
  stepName: (step) => {
    const [, round, match] = /^round_(\d+)_match_(\d+)$/.exec(step) ?? []
    return match === undefined ? null : `Round ${round}, match ${Number(match) + 1}`
  },
  plan: ['Answers', 'Round'],
  picture: () => import('./picture'),
}
