import type { ModePart } from '../../run/mode_part'
import { numbered } from '../../run/stages'
import type { Events } from './wire'

export const part: ModePart = {
  names: { plan: 'Plan', assembly: 'Assembly' },
  parallelSteps: /^(task)_/,
  isStage: ({ id, type }) => id > 1 && type !== 'task_start',
  stageName: ({ type, data }) =>
    type === 'wave_start' ? `Wave ${(data as Events['wave_start']['data']).waveNumber}` : null,
  stepName: numbered({ task: 'Part' }),
  plan: ['Plan', 'Wave', 'Assembly'],
  picture: () => import('./picture'),
}
