import type { ModePart } from '../../run/mode_part'
import { numbered } from '../../run/stages'
import type { Events } from './wire'

export const part: ModePart = {
  names: {},
  stageName: ({ type, data }) =>
    type === 'chain_step_start' ? (data as Events['chain_step_start']['data']).mandateDisplay : null,
  stepName: numbered({ chain_step: 'Step' }),
  placeholder: 'What should be written? Or paste a text to improve…',
  plan: ({ opening }) =>
    (opening as Events['chain_start'] | null)?.steps.map((step) => step.mandateDisplay) ?? [],
  picture: () => import('./picture'),
}
