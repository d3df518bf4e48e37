import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { decimal, duration, humanize, percent, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { SeatTexts } from '../../ui/seat_texts'
import { Fold, Section } from '../../ui/section'
import { Table } from '../../ui/table'
import { Averages, Experts } from './experts'
import { Gaps, Matrix } from './matrix'
import type { Events, IntegratedAssessment, SpecialistReport } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesis_complete')?.data
  if (!synthesis) return null
  const score =
    synthesis.panelScore == null
      ? 'no rating could be read'
      : `panel score ${decimal(synthesis.panelScore)} of 5`
  return {
    text: synthesis.sections.executiveSummary ?? synthesis.integratedAssessment,
    by: [synthesis.overallAssessment && humanize(synthesis.overallAssessment), score]
      .filter(Boolean)
      .join(', '),
  }
}

export function Picture({ story }: PictureProps) {
  const experts = expertsOf(story)
  const reviews = every(story, 'cross_review_complete').map((event) => event.data)
  const crossReview = last(story, 'all_cross_reviews_complete')?.data
  const synthesis = last(story, 'synthesis_complete')?.data
  const hasCrossReview = last(story, 'cross_review_start') !== undefined
  return (
    <>
      {synthesis?.sections.executiveSummary && <Assessment synthesis={synthesis} />}
      {hasCrossReview && experts.length > 0 && (
        <Section
          title="Who backs what"
          note={
            crossReview?.agreementRate == null ? undefined : `agreement ${percent(crossReview.agreementRate)}`
          }
        >
          <Matrix experts={experts} reviews={reviews} crossReview={crossReview} />
          <Gaps reviews={reviews} />
        </Section>
      )}
      {synthesis && synthesis.riskMatrix.length > 0 && (
        <Section title="Risks" note={synthesis.topRisk && `highest: ${synthesis.topRisk}`}>
          <Table
            label="Risk matrix"
            head={['Domain', 'Risk', 'Concern', 'What to do', 'From']}
            rows={synthesis.riskMatrix.map((risk) => [
              risk.domain,
              risk.riskLevel ?? '–',
              risk.keyConcern,
              risk.recommendedAction,
              risk.sourceSpecialists,
            ])}
          />
        </Section>
      )}
      {experts.length > 0 && (
        <Section title="Each expert">
          {experts.length > 2 && <Averages experts={experts} reviews={reviews} />}
          <Experts story={story} experts={experts} reviews={reviews} />
        </Section>
      )}
      {reviews.length > 0 && (
        <Section title="What they said about each other" folded={synthesis !== undefined}>
          <SeatTexts
            entries={reviews
              .toSorted((a, b) => a.seat - b.seat)
              .map((one) => ({
                seat: one.seat,
                model: one.model,
                role: one.roleTitle,
                text: one.reviewText,
                lines: true,
                note: `${plural(one.reactions.length, 'reaction')} · ${duration(one.responseTimeMs)}`,
              }))}
          />
        </Section>
      )}
    </>
  )
}

const expertsOf = (story: Story): SpecialistReport[] =>
  every(story, 'specialist_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)

const SECTIONS = [
  ['recommendations', 'Recommendations'],
  ['convergent', 'Where they agree'],
  ['divergent', 'Where they differ'],
  ['riskMatrix', 'Risks'],
] as const

/** What the summary above rests on, section by section. */
function Assessment({ synthesis }: { synthesis: IntegratedAssessment }) {
  const notes: Partial<Record<string, string>> = {
    recommendations:
      synthesis.recommendationCount == null ? '' : plural(synthesis.recommendationCount, 'entry', 'entries'),
    convergent:
      synthesis.convergentFindingCount == null ? '' : plural(synthesis.convergentFindingCount, 'point'),
    divergent:
      synthesis.divergentFindingCount == null ? '' : plural(synthesis.divergentFindingCount, 'conflict'),
  }
  return (
    <Section title="Full assessment">
      {SECTIONS.map(([key, title]) => {
        const text = synthesis.sections[key]
        return (
          text && (
            <Fold key={key} title={title} note={notes[key]}>
              <Markdown text={text} />
            </Fold>
          )
        )
      })}
      {synthesis.unknownCitations.length > 0 && (
        <p className="hint">It cites findings that do not exist: {synthesis.unknownCitations.join(', ')}.</p>
      )}
      {synthesis.underSupported.length > 0 && (
        <p className="hint">
          Called common, but raised by one expert alone: {plural(synthesis.underSupported.length, 'point')}.
        </p>
      )}
    </Section>
  )
}
