import { Radar } from '../../ui/charts'
import { KINDS } from '../../run/failures'
import { Markdown } from '../../ui/markdown'
import { Bars } from '../../ui/bars'
import { figure, many, percent, seconds, words } from '../../ui/format'
import { Texts } from '../../ui/seat_texts'
import { Fold, Part } from '../../ui/section'
import { Table } from '../../ui/table'
import { Sign, Who, seatClass } from '../../ui/seats'
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
  const made = last(story, 'synthesis_complete')?.data
  if (!made) return null
  const score =
    made.panelScore == null ? 'no rating could be read' : `panel score ${figure(made.panelScore)} of 5`
  return {
    text: made.sections.executiveSummary ?? made.integratedAssessment,
    by: [made.overallAssessment && words(made.overallAssessment), score].filter(Boolean).join(', '),
  }
}

export function Picture({ story }: PictureProps) {
  const experts = expertsOf(story)
  const reviews = every(story, 'cross_review_complete').map((event) => event.data)
  const crossed = last(story, 'all_cross_reviews_complete')?.data
  const made = last(story, 'synthesis_complete')?.data
  const asked = last(story, 'cross_review_start') !== undefined
  return (
    <>
      {made?.sections.executiveSummary && <Assessment made={made} />}
      {asked && experts.length > 0 && (
        <Part
          title="Who stands behind what"
          note={crossed?.agreementRate == null ? undefined : `agreement ${percent(crossed.agreementRate)}`}
        >
          <Matrix experts={experts} reviews={reviews} crossed={crossed} />
          <Gaps reviews={reviews} />
        </Part>
      )}
      {made && made.riskMatrix.length > 0 && (
        <Part title="Risks" note={made.topRisk && `above all: ${made.topRisk}`}>
          <Table
            label="Risk matrix"
            head={['Domain', 'Risk', 'Concern', 'What to do', 'From']}
            rows={made.riskMatrix.map((risk) => [
              risk.domain,
              risk.riskLevel ?? '–',
              risk.keyConcern,
              risk.recommendedAction,
              risk.sourceSpecialists,
            ])}
          />
        </Part>
      )}
      {experts.length > 0 && (
        <Part title="Each expert">
          {experts.length > 2 && <Averages experts={experts} reviews={reviews} />}
          <Experts story={story} experts={experts} reviews={reviews} />
        </Part>
      )}
      {reviews.length > 0 && (
        <Part title="What they said of each other">
          <Texts
            entries={reviews
              .toSorted((a, b) => a.seat - b.seat)
              .map((one) => ({
                seat: one.seat,
                model: one.model,
                role: one.roleTitle,
                text: one.reviewText,
                lines: true,
                note: `${many(one.reactions.length, 'reaction')} · ${seconds(one.responseTimeMs)}`,
              }))}
          />
        </Part>
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
function Assessment({ made }: { made: IntegratedAssessment }) {
  const notes: Partial<Record<string, string>> = {
    recommendations:
      made.recommendationCount == null ? '' : many(made.recommendationCount, 'entry', 'entries'),
    convergent: made.convergentFindingCount == null ? '' : many(made.convergentFindingCount, 'point'),
    divergent: made.divergentFindingCount == null ? '' : many(made.divergentFindingCount, 'conflict'),
  }
  return (
    <Part title="The assessment in full">
      {SECTIONS.map(([key, title]) => {
        const text = made.sections[key]
        return (
          text && (
            <Fold key={key} title={title} note={notes[key]}>
              <Markdown text={text} />
            </Fold>
          )
        )
      })}
      {made.unknownCitations.length > 0 && (
        <p className="hint">It cites findings that do not exist: {made.unknownCitations.join(', ')}.</p>
      )}
      {made.underSupported.length > 0 && (
        <p className="hint">
          {many(made.underSupported.length, 'point')} called common rests on one seat alone.
        </p>
      )}
    </Part>
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
  crossed,
}: {
  experts: SpecialistReport[]
  reviews: CrossReview[]
  crossed: CrossReviews | undefined
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
                  {crossed?.ledger.find((entry) => entry.findingId === id)?.status}
                </span>
                {reactions(id).length > 0 && (
                  <Fold title="Why">
                    <ul className="reasons">
                      {reactions(id).map((one) => (
                        <li key={one.by.seat}>
                          <Who seat={one.by.seat} model={one.by.model} role={one.by.roleTitle} />{' '}
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
                      awaited={!crossed && !reviews.some((review) => review.seat === one.seat)}
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
    <Fold title="What nobody looked at" note={many(gaps.length, 'gap')}>
      <ul className="reasons">
        {gaps.map(({ one, text }, place) => (
          <li key={place}>
            <Who seat={one.seat} model={one.model} role={one.roleTitle} /> <span dir="auto">{text}</span>
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
  const said = experts.map((one, place) => `${one.roleTitle} ${figure(now[place])}`).join(', ')
  const changed = experts.some((one, place) => now[place] !== one.averageScore)
  const first = changed
    ? [{ key: 'first', className: 'first', scores: experts.map((one) => one.averageScore) }]
    : []
  return (
    <Radar
      rays={experts.map((one) => ({ key: String(one.seat), label: one.roleTitle }))}
      most={5}
      webs={[...first, { key: 'now', className: 'mean', scores: now }]}
      label={`Average rating of each seat, of 5: ${said}`}
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
        <span className="average">{now == null ? 'no rating' : `${figure(now)} of 5`}</span>
      </p>
      <p className="line">
        <Who seat={one.seat} model={one.model} />
        <span className="note">{seconds(one.responseTimeMs)}</span>
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
              shown: after == null ? figure(score.score) : `${figure(score.score)} → ${figure(after)}`,
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
            <Who hollow seat={seat} model={failed.model} />
          </p>
          <p className="hint">No report: it {KINDS[failed.kind]}.</p>
        </>
      ) : (
        <p className="hint">
          <Sign hollow seat={seat} /> {ended ? 'No report.' : 'Its report is awaited.'}
        </p>
      )}
    </section>
  )
}
