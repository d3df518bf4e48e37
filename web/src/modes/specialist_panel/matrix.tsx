import { plural } from '../../ui/format'
import { SeatLabel, Sign } from '../../ui/seats'
import { Fold } from '../../ui/section'
import type { CrossReview, CrossReviews, SpecialistReport } from './wire'

const MARKS: Record<string, [sign: string, word: string]> = {
  SUPPORT: ['✓', 'supports'],
  EXTEND: ['✓+', 'extends'],
  CHALLENGE: ['✗', 'challenges'],
}

/** Every finding, and what each seat says to it. It fills as the reviews come in. */
export function Matrix({
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
      : [{ id: `S${expert.seat}`, text: 'Full report (its findings could not be read)', expert }],
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

export function Gaps({ reviews }: { reviews: CrossReview[] }) {
  const gaps = reviews.flatMap((one) => one.gaps.map((text) => ({ one, text })))
  if (gaps.length === 0) return null
  return (
    <Fold title="Not covered by anyone" note={plural(gaps.length, 'gap')}>
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
