// The first answers, as council, vote and debate show them.

import type { Answer } from '../api/wire'
import { duration, plural } from '../ui/format'
import { SeatTexts, bySeat } from '../ui/seat_texts'
import { Section } from '../ui/section'
import { failureTexts, failuresAt } from './failures'
import type { Story } from './story'

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
  const texts = answers.map((one) => ({
    seat: one.seat,
    model: one.model,
    text: one.response,
    note: duration(one.responseTimeMs),
  }))
  return (
    <Section title={title} note={plural(answers.length, 'answer')} folded>
      <SeatTexts entries={bySeat([...texts, ...failureTexts(failuresAt(story, step))])} />
    </Section>
  )
}
