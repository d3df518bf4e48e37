import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { present: 'Reading', deliberation: 'Jurors', verdict: 'Verdict' },
  placeholder: 'The text to be judged, or what to watch for in the one below…',
  plan: ['Reading', 'Jurors', 'Verdict'],
  picture: () => import('./picture'),
}
