import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { round1: 'First answers', revision: 'Second thoughts', vote: 'Votes' },
  picture: () => import('./picture'),
}
