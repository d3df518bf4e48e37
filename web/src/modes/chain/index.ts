import type { ModePart } from '../../run/mode_part'
import type { Events } from './wire'

export const part: ModePart = {
  names: {},
  placeholder: 'What is to be written, or the text to be improved…',
  stageName: ({ type, data }) =>
    type === 'chain_step_start' ? (data as Events['chain_step_start']['data']).mandateDisplay : null,
  plan: ({ opening }) =>
    (opening as Events['chain_start'] | null)?.steps.map((step) => step.mandateDisplay) ?? [],
  picture: () => import('./picture'),
}
