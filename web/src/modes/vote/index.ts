import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: {
    collect: 'Answers',
    stage1: 'Answers',
    vote: 'Votes',
    vote_round: 'Votes',
    tiebreaker: 'Tiebreak',
  },
  plan: ['Answers', 'Votes'],
  picture: () => import('./picture'),
}
