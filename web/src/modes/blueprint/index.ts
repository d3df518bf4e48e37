import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { outline: 'Outline', expansion: 'Sections', assembly: 'Assembly' },
  placeholder: 'The source material, and what the document is for…',
  parallelSteps: /^(section)_/,
  plan: ['Outline', 'Sections', 'Assembly'],
  picture: () => import('./picture'),
}
