import { FAILURE_WORDS } from '../../run/failures'
import { type Story, eventsOf } from '../../run/story'
import { Bars } from '../../ui/bars'
import { Radar } from '../../ui/charts'
import { decimal, duration } from '../../ui/format'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, Sign, seatClass } from '../../ui/seats'
import { Fold } from '../../ui/section'
import type { CrossReview, Events, FailedSpecialist, SpecialistReport } from './wire'

const { last } = eventsOf<Events>()

const revised = (reviews: CrossReview[], seat: number) =>
  reviews.find((one) => one.seat === seat)?.revisedAverageScore

/** Only the averages: the criteria of two roles cannot be laid on one ray. */
export function Averages({ experts, reviews }: { experts: SpecialistReport[]; reviews: CrossReview[] }) {
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
          ? 'Each seat’s average rating, of 5. Dashed: before the cross-review.'
          : 'Each seat’s average rating, of 5.'
      }
    />
  )
}

export function Experts({
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
        <ol className="top-three" aria-label="Top recommendation">
          {one.topRecommendations.map((text, place) => (
            <li key={place} dir="auto">
              {text}
            </li>
          ))}
        </ol>
      )}
      <Fold title="Its report">
        {one.parseNotes.length > 0 && <p className="hint">{one.parseNotes.join(' ')}</p>}
        <CopyableText text={one.report} />
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
          <Sign hollow seat={seat} /> {ended ? 'No report.' : 'Waiting for the report.'}
        </p>
      )}
    </section>
  )
}
