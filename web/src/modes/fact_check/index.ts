import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { generate: 'Draft', extract: 'Claims', verify: 'Checks', report: 'Report' },
  placeholder: 'A question whose answer is checked, or what to look at in the text below…',
  parallelSteps: /^(verify)_/,
  plan: ['Draft', 'Claims', 'Checks', 'Report'],
  picture: () => import('./picture'),
}
