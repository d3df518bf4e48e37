import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { generate: 'Draft', extract: 'Claims', verify: 'Checks', report: 'Report' },
  parallelSteps: /^(verify)_/,
  text: {
    field: 'contentToCheck',
    label: 'Text to check',
    placeholder: 'Paste the text to check…',
    question: 'Check the facts in this text.',
  },
  label: 'Your question',
  placeholder: 'Or ask a question: a model answers it, and its answer is checked.',
  plan: ['Draft', 'Claims', 'Checks', 'Report'],
  picture: () => import('./picture'),
}
