import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: {
    collect: 'Answers',
    stage1: 'Answers',
    vote: 'Votes',
    vote_round: 'Votes',
    tiebreaker: 'Tiebreak',
  },
  picture: () => import('./picture'),
}
