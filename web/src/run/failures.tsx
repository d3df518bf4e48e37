// What went wrong with a call, in words.

import type { SeatText } from '../ui/seat_texts'
import { Who } from '../ui/seats'
import type { ModePart } from './mode_part'
import { baseStep, stepName } from './stages'
import type { Failure, Story } from './story'

export const KINDS: Record<Failure['kind'], string> = {
  timeout: 'took too long',
  budget: 'was not asked: the budget or the time was spent',
  empty: 'sent an empty reply',
  auth: 'was refused: the key is not accepted',
  credit: 'was refused: the account has no credit left',
  not_found: 'is not known to its provider: check the model id',
  rate_limited: 'is asked too often just now',
  refused: 'refused to answer',
  network: 'could not be reached',
  unreadable: 'sent a reply that could not be read',
  cancelled: 'was stopped',
  other: 'failed',
}

export const FailureLine = ({ failure, part }: { failure: Failure; part: ModePart }) => (
  <>
    <Who seat={failure.seat} model={failure.model} /> {KINDS[failure.kind]}{' '}
    <span className="note">({stepName(failure.step, part)})</span>
    <span className="cause" dir="auto">
      {failure.reason}
    </span>
  </>
)

/** Who failed at a step, each seat once. */
export function failedAt(story: Story, ...steps: string[]): Failure[] {
  const found = new Map<string, Failure>()
  for (const failure of story.failures) {
    if (steps.includes(baseStep(failure.step)))
      found.set(`${failure.seat} ${failure.seat == null ? failure.model : ''}`, failure)
  }
  return [...found.values()].sort((a, b) => (a.seat ?? 99) - (b.seat ?? 99))
}

/** The chairs that stayed empty, in their place beside the others. */
export function Absent({
  failures,
  lacks = 'no answer',
}: {
  failures: readonly Pick<Failure, 'seat' | 'model' | 'kind'>[]
  lacks?: string
}) {
  return failures.map((failure, place) => (
    <p key={place} className="absent">
      <Who hollow seat={failure.seat} model={failure.model} />
      <span className="note">
        {lacks}: {KINDS[failure.kind]}
      </span>
    </p>
  ))
}

/** The same as entries of a list of texts. */
export const emptyChairs = (failures: readonly Failure[], lacks = 'no answer'): SeatText[] =>
  failures.map((failure) => ({
    seat: failure.seat,
    model: failure.model,
    text: '',
    missing: `${lacks}: ${KINDS[failure.kind]}`,
  }))
