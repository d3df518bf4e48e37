import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { decimal, duration, plural } from '../../ui/format'
import { SeatTexts } from '../../ui/seat_texts'
import { SeatLabel } from '../../ui/seats'
import { Badge, Section } from '../../ui/section'
import { Agreement } from './agreement'
import { Findings } from './findings'
import { Scores } from './scores'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const consolidation = last(story, 'consolidation_complete')?.data
  if (!consolidation) return null
  const by = (
    <>
      {consolidation.weightedOverallAvg === null
        ? 'No score'
        : `${decimal(consolidation.weightedOverallAvg)} of 5`}{' '}
      from {plural(consolidation.reviewerCount, 'reviewer')}
      {consolidation.overallAgreement && `, ${consolidation.overallAgreement.toLowerCase()} agreement`}
      {consolidation.model ? (
        <SeatLabel model={consolidation.model} role="consolidator" />
      ) : (
        <Badge kind="stood">no model wrote it</Badge>
      )}
    </>
  )
  return { text: consolidation.consolidatedReport, by }
}

export function Picture({ story, question }: PictureProps) {
  const reviews = every(story, 'reviewer_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const consolidation = last(story, 'consolidation_complete')?.data
  const total = last(story, 'reviewers_start')?.data.totalReviewers ?? reviews.length
  const absent = last(story, 'all_reviewers_complete')?.data.failedReviewers ?? []
  if (reviews.length === 0) return null
  return (
    <>
      <Scores
        reviews={reviews}
        consolidation={consolidation}
        total={total}
        absent={absent.map((one) => ({ ...one, seat: one.reviewerIndex + 1 }))}
      />
      {consolidation && <Agreement consolidation={consolidation} />}
      <Findings story={story} reviews={reviews} consolidation={consolidation} work={question} />
      <Section title="Each review" folded={consolidation !== undefined}>
        <SeatTexts
          entries={reviews.map((one) => ({
            seat: one.seat,
            model: one.model,
            text: one.reviewText,
            lines: true,
            note: `${one.overallScore === null ? 'no score' : `${decimal(one.overallScore)} of 5`} · ${plural(one.findings.length, 'finding')} · ${duration(one.responseTimeMs)}`,
          }))}
        />
      </Section>
    </>
  )
}
