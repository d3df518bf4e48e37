import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: {
    round1: 'First answers',
    initial_answer: 'First answers',
    revision: 'Second thoughts',
    vote: 'Votes',
    debate_vote: 'Votes',
  },
  plan: ['First answers', 'Second thoughts', 'Votes'],
  picture: () => import('./picture'),
}
