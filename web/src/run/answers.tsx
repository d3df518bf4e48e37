// The first answers, as council, vote and debate show them.

import { emptyChairs, failedAt } from './failures'
import { seconds } from '../ui/format'
import { Texts, bySeat } from '../ui/seat_texts'
import { Part } from '../ui/section'
import type { Story } from './story'
import type { Answer } from '../api/wire'

export function Answers({
  title,
  story,
  step,
  answers,
}: {
  title: string
  story: Story
  step: string
  answers: Answer[] | undefined
}) {
  if (!answers) return null
  const given = answers.map((one) => ({
    seat: one.seat,
    model: one.model,
    text: one.response,
    note: seconds(one.responseTimeMs),
  }))
  return (
    <Part title={title}>
      <Texts entries={bySeat([...given, ...emptyChairs(failedAt(story, step))])} />
    </Part>
  )
}
