import { Radar } from '../../ui/charts'
import { FAILURE_WORDS } from '../../run/failures'
import { Markdown } from '../../ui/markdown'
import { Bars } from '../../ui/bars'
import { decimal, plural, percent, duration, humanize } from '../../ui/format'
import { SeatTexts } from '../../ui/seat_texts'
import { Fold, Section } from '../../ui/section'
import { Table } from '../../ui/table'
import { Sign, SeatLabel, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type {
  CrossReview,
  CrossReviews,
  Events,
  FailedSpecialist,
  IntegratedAssessment,
  SpecialistReport,
} from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
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
          title="Who stands behind what"
          note={
            crossReview?.agreementRate == null ? undefined : `agreement ${percent(crossReview.agreementRate)}`
          }
        >
          <Matrix experts={experts} reviews={reviews} crossReview={crossReview} />
          <Gaps reviews={reviews} />
        </Section>
      )}
      {synthesis && synthesis.riskMatrix.length > 0 && (
        <Section title="Risks" note={synthesis.topRisk && `above all: ${synthesis.topRisk}`}>
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
        <Section title="What they said of each other">
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
  ['riskMatrix', 'The risks, as the synthesizer wrote them'],
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
    <Section title="The assessment in full">
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
          {plural(synthesis.underSupported.length, 'point')} called common rests on one seat alone.
        </p>
      )}
    </Section>
  )
}

const MARKS: Record<string, [sign: string, word: string]> = {
  SUPPORT: ['✓', 'supports'],
  EXTEND: ['✓+', 'extends'],
  CHALLENGE: ['✗', 'challenges'],
}

/** Every finding, and what each seat says to it. It fills as the reviews come in. */
function Matrix({
  experts,
  reviews,
  crossReview,
}: {
  experts: SpecialistReport[]
  reviews: CrossReview[]
  crossReview: CrossReviews | undefined
}) {
  const rows = experts.flatMap((expert) =>
    expert.keyFindings.length > 0
      ? expert.keyFindings.map((text, place) => ({ id: `S${expert.seat}.${place + 1}`, text, expert }))
      : [{ id: `S${expert.seat}`, text: 'Its report as a whole: no finding could be read', expert }],
  )
  const reactions = (id: string) =>
    reviews.flatMap((one) =>
      one.reactions
        .filter((reaction) => reaction.findingId === id)
        .map((reaction) => ({ ...reaction, by: one })),
    )
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Findings and the reactions of each seat">
      <table className="figures matrix">
        <thead>
          <tr>
            <th scope="col">Finding</th>
            {experts.map((one) => (
              <th key={one.seat} scope="col" title={`${one.roleTitle}, ${one.model}`}>
                <Sign seat={one.seat} size={16} />
                <span className="role">{one.roleTitle}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, text, expert }) => (
            <tr key={id}>
              <th scope="row">
                <span className="finding-id">{id}</span> <span dir="auto">{text}</span>
                <span className="note standing">
                  {crossReview?.ledger.find((entry) => entry.findingId === id)?.status}
                </span>
                {reactions(id).length > 0 && (
                  <Fold title="Why">
                    <ul className="reasons">
                      {reactions(id).map((one) => (
                        <li key={one.by.seat}>
                          <SeatLabel seat={one.by.seat} model={one.by.model} role={one.by.roleTitle} />{' '}
                          {MARKS[one.reaction]?.[1]}: <span dir="auto">{one.reason}</span>
                        </li>
                      ))}
                    </ul>
                  </Fold>
                )}
              </th>
              {experts.map((one) => (
                <td key={one.seat}>
                  {one.seat === expert.seat ? (
                    <span className="cell own">its own</span>
                  ) : (
                    <Cell
                      reaction={reactions(id).find((reaction) => reaction.by.seat === one.seat)?.reaction}
                      awaited={!crossReview && !reviews.some((review) => review.seat === one.seat)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell({ reaction, awaited }: { reaction: string | undefined; awaited: boolean }) {
  const [sign, word] = MARKS[reaction ?? ''] ?? (awaited ? ['…', 'awaited'] : ['·', 'silent'])
  return (
    <span className={`cell ${reaction ? `cell-${reaction.toLowerCase()}` : ''}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  )
}

function Gaps({ reviews }: { reviews: CrossReview[] }) {
  const gaps = reviews.flatMap((one) => one.gaps.map((text) => ({ one, text })))
  if (gaps.length === 0) return null
  return (
    <Fold title="What nobody looked at" note={plural(gaps.length, 'gap')}>
      <ul className="reasons">
        {gaps.map(({ one, text }, place) => (
          <li key={place}>
            <SeatLabel seat={one.seat} model={one.model} role={one.roleTitle} />{' '}
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
    </Fold>
  )
}

const revised = (reviews: CrossReview[], seat: number) =>
  reviews.find((one) => one.seat === seat)?.revisedAverageScore

/** Only the averages: the criteria of two roles cannot be laid on one ray. */
function Averages({ experts, reviews }: { experts: SpecialistReport[]; reviews: CrossReview[] }) {
  const now = experts.map((one) => revised(reviews, one.seat) ?? one.averageScore)
  const label = experts.map((one, place) => `${one.roleTitle} ${decimal(now[place])}`).join(', ')
  const changed = experts.some((one, place) => now[place] !== one.averageScore)
  const first = changed
    ? [{ key: 'first', className: 'first', scores: experts.map((one) => one.averageScore) }]
    : []
  return (
    <Radar
      rays={experts.map((one) => ({ key: String(one.seat), label: one.roleTitle }))}
      most={5}
      webs={[...first, { key: 'now', className: 'mean', scores: now }]}
      label={`Average rating of each seat, of 5: ${label}`}
      caption={
        changed
          ? 'Average rating of each seat, of 5; dashed, before the experts had read each other.'
          : 'Average rating of each seat, of 5.'
      }
    />
  )
}

function Experts({
  story,
  experts,
  reviews,
}: {
  story: Story
  experts: SpecialistReport[]
  reviews: CrossReview[]
}) {
  const failed = last(story, 'all_specialists_complete')?.data.failedSpecialists ?? []
  const { roles } = story.opening as unknown as Events['specialist_panel_start']
  return (
    <div className="experts">
      {roles.map((role, place) => {
        const seat = place + 1
        const expert = experts.find((one) => one.seat === seat)
        if (expert)
          return <Expert key={seat} one={expert} review={reviews.find((one) => one.seat === seat)} />
        return (
          <EmptyChair
            key={seat}
            seat={seat}
            role={role}
            failed={failed.find((one) => one.seat === seat)}
            ended={story.ended}
          />
        )
      })}
    </div>
  )
}

function Expert({ one, review }: { one: SpecialistReport; review: CrossReview | undefined }) {
  const now = review?.revisedAverageScore ?? one.averageScore
  const rescored = (criterion: string) =>
    review?.rescores.findLast((other) => other.criterion === criterion)?.to
  return (
    <section className={`framed expert ${seatClass(one.seat)}`}>
      <p className="line">
        <strong className="role-title">{one.roleTitle}</strong>
        <span className="average">{now == null ? 'no rating' : `${decimal(now)} of 5`}</span>
      </p>
      <p className="line">
        <SeatLabel seat={one.seat} model={one.model} />
        <span className="note">{duration(one.responseTimeMs)}</span>
      </p>
      {one.criteriaScores.length > 0 && (
        <Bars
          label={`Criteria of the ${one.roleTitle}, of 5`}
          most={5}
          bars={one.criteriaScores.map((score) => {
            const after = rescored(score.criterion)
            return {
              key: score.criterion,
              seat: one.seat,
              label: score.criterion,
              value: after ?? score.score ?? 0,
              text: after == null ? decimal(score.score) : `${decimal(score.score)} → ${decimal(after)}`,
            }
          })}
        />
      )}
      {!one.parseSuccess && <p className="hint">Not all of its report could be read.</p>}
      {one.topRecommendations.length > 0 && (
        <ol className="top-three" aria-label="What it recommends first">
          {one.topRecommendations.map((text, place) => (
            <li key={place} dir="auto">
              {text}
            </li>
          ))}
        </ol>
      )}
      <Fold title="Its report">
        {one.parseNotes.length > 0 && <p className="hint">{one.parseNotes.join(' ')}</p>}
        <Markdown text={one.report} />
      </Fold>
    </section>
  )
}

function EmptyChair({
  seat,
  role,
  failed,
  ended,
}: {
  seat: number
  role: string
  failed: FailedSpecialist | undefined
  ended: boolean
}) {
  return (
    <section className="framed expert empty-chair">
      <p className="line">
        <strong className="role-title">{role}</strong>
      </p>
      {failed ? (
        <>
          <p className="line">
            <SeatLabel hollow seat={seat} model={failed.model} />
          </p>
          <p className="hint">No report: it {FAILURE_WORDS[failed.kind]}.</p>
        </>
      ) : (
        <p className="hint">
          <Sign hollow seat={seat} /> {ended ? 'No report.' : 'Its report is awaited.'}
        </p>
      )}
    </section>
  )
}
