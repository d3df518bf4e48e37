import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { present: 'Reading', deliberation: 'Jurors', verdict: 'Verdict' },
  text: {
    field: 'content',
    label: 'Text to judge',
    placeholder: 'Paste the text the jury should judge…',
  },
  label: 'What should the jury watch for?',
  placeholder: 'What to watch for (optional)',
  plan: ['Reading', 'Jurors', 'Verdict'],
  picture: () => import('./picture'),
}
