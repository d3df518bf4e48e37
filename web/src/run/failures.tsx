// Problems with a call, in words.

import type { SeatText } from '../ui/seat_texts'
import { SeatLabel } from '../ui/seats'
import type { ModePart } from './mode_part'
import { baseStep, stepName } from './stages'
import type { Failure, Story } from './story'

export const FAILURE_WORDS: Record<Failure['kind'], string> = {
  timeout: 'timed out',
  budget: 'was skipped: the budget or time limit was reached',
  too_long: 'was not asked: the prompt is too long for it',
  empty: 'sent an empty reply',
  auth: 'was rejected: check the API key',
  credit: 'was rejected: the account is out of credit',
  not_found: 'was not found at its provider: check the model ID',
  rate_limited: 'is rate limited',
  refused: 'refused to answer',
  network: 'could not be reached',
  unreadable: 'sent a reply that could not be parsed',
  cancelled: 'was stopped',
  other: 'failed',
}

/** What happened to a call. A key that nobody has set is not one that was rejected. */
export const failureWords = ({ kind, reason }: Pick<Failure, 'kind'> & { reason?: string }) =>
  kind === 'auth' && /needs an? .*key/.test(reason ?? '')
    ? 'could not be asked: no API key is set'
    : FAILURE_WORDS[kind]

export const FailureLine = ({
  failure,
  part,
  steps = [failure.step],
}: {
  failure: Failure
  part: ModePart
  steps?: string[]
}) => (
  <>
    <SeatLabel seat={failure.seat} model={failure.model} /> {failureWords(failure)}{' '}
    <span className="note">({[...new Set(steps.map((step) => stepName(step, part)))].join(', ')})</span>
    <span className="cause" dir="auto">
      {failure.reason}
    </span>
  </>
)

/** What failed, each cause once, with all the steps at which a seat met it. */
export function causesOf(failures: readonly Failure[]): { failure: Failure; steps: string[] }[] {
  const causes = new Map<string, { failure: Failure; steps: string[] }>()
  for (const failure of failures) {
    const key = JSON.stringify([failure.seat, failure.model, failure.kind, failure.reason])
    const cause = causes.get(key)
    if (cause) cause.steps.push(failure.step)
    else causes.set(key, { failure, steps: [failure.step] })
  }
  return [...causes.values()]
}

/** Who failed at a step, each seat once. */
export function failuresAt(story: Story, ...steps: string[]): Failure[] {
  const bySeat = new Map<string, Failure>()
  for (const failure of story.failures) {
    if (steps.includes(baseStep(failure.step)))
      bySeat.set(`${failure.seat} ${failure.seat == null ? failure.model : ''}`, failure)
  }
  return [...bySeat.values()].sort((a, b) => (a.seat ?? 99) - (b.seat ?? 99))
}

/** The chairs that stayed empty, in their place beside the others. */
export function AbsentSeats({
  failures,
  lacks = 'no answer',
}: {
  failures: readonly Pick<Failure, 'seat' | 'model' | 'kind'>[]
  lacks?: string
}) {
  return failures.map((failure, place) => (
    <p key={place} className="absent">
      <SeatLabel hollow seat={failure.seat} model={failure.model} />
      <span className="note">
        {lacks}: {failureWords(failure)}
      </span>
    </p>
  ))
}

/** The same as entries of a list of texts. */
export const failureTexts = (failures: readonly Failure[], lacks = 'no answer'): SeatText[] =>
  failures.map((failure) => ({
    seat: failure.seat,
    model: failure.model,
    text: '',
    missing: `${lacks}: ${failureWords(failure)}`,
  }))
