import type { ModePart } from '../../run/mode_part'

export const part: ModePart = {
  names: { outline: 'Outline', expansion: 'Sections', assembly: 'Assembly' },
  parallelSteps: /^(section)_/,
  placeholder: 'What is the document for? Add your notes and source material…',
  plan: ['Outline', 'Sections', 'Assembly'],
  picture: () => import('./picture'),
}
