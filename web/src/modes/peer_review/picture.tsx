import './picture.css'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { AnnotatedText, reveal } from '../../ui/annotated'
import { AbsentSeats } from '../../run/failures'
import { decimal, plural, percent, duration } from '../../ui/format'
import { SeatTexts } from '../../ui/seat_texts'
import { Badge, Section } from '../../ui/section'
import { type Annotation, findQuote } from '../../ui/places'
import { Sign, SeatLabel, seatClass, signPath } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Review = Events['reviewer_complete']['data']
type Consolidation = Events['consolidation_complete']['data']
type Issue = Consolidation['issues'][number]
type Finding = Review['findings'][number]

const SEVERITIES = ['CRITICAL', 'MAJOR', 'MINOR', 'SUGGESTION'] as const
const KIND: Record<string, string> = { CRITICAL: 'bad', MAJOR: 'fair', MINOR: 'open', SUGGESTION: 'stood' }
const seatOf = (reviewer: string) => Number(reviewer.replace(/\D/g, '')) || null

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
        <Badge kind="stood">computed</Badge>
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
      <Section title="Each review">
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

/** Criteria by reviewers as a heat map; on the scale beside it they stand close together or far apart. */
function Scores({
  reviews,
  consolidation,
  total,
  absent,
}: {
  reviews: Review[]
  consolidation: Consolidation | undefined
  total: number
  absent: ComponentProps<typeof AbsentSeats>['failures']
}) {
  const criteria = new Map(
    reviews.flatMap((one) => one.scores.map((score) => [score.criterion, score.weight] as const)),
  )
  const summary = new Map(consolidation?.consensusScores.map((one) => [one.criterion, one]) ?? [])
  if (criteria.size === 0) return <p className="callout">No reviewer gave scores that could be read.</p>
  return (
    <Section
      title="Where they stand"
      note={`${reviews.length} of ${plural(total, 'review')}; 1 is poor, 5 excellent`}
    >
      <div className="scroll" tabIndex={0} role="group" aria-label="Scores per criterion and reviewer">
        <table className="figures heats">
          <thead>
            <tr>
              <th scope="col">Criterion</th>
              {reviews.map((one) => (
                <th key={one.seat} scope="col">
                  <SeatLabel seat={one.seat} model={one.model} role="" />
                </th>
              ))}
              <th scope="col">
                <span className="scale-head">
                  <span>1</span>
                  <span>3</span>
                  <span>5</span>
                </span>
                <span className="unseen">on the scale</span>
              </th>
              <th scope="col">Mean</th>
              <th scope="col">Spread</th>
              <th scope="col">Agreement</th>
            </tr>
          </thead>
          <tbody>
            {[...criteria].map(([name, weight]) => {
              const scores = reviews.map((one) => ({
                seat: one.seat,
                ...one.scores.find((score) => score.criterion === name),
              }))
              const figures = summary.get(name)
              return (
                <tr key={name} className={figures?.agreement === 'Low' ? 'disputed' : ''}>
                  <th scope="row">
                    {name} <span className="note">× {weight}</span>
                  </th>
                  {scores.map((one) => (
                    <td key={one.seat} title={one.justification ?? undefined}>
                      <Heat score={one.score} />
                    </td>
                  ))}
                  <td>
                    <Strip
                      marks={scores.flatMap((one) =>
                        one.score == null ? [] : [{ seat: one.seat, score: one.score }],
                      )}
                      mean={figures?.average ?? null}
                    />
                  </td>
                  <td>{decimal(figures?.average)}</td>
                  <td>{decimal(figures?.stddev, 2)}</td>
                  <td>
                    {figures?.agreement === 'Low' ? (
                      <Badge kind="fair">disputed</Badge>
                    ) : (
                      (figures?.agreement?.toLowerCase() ?? '–')
                    )}
                  </td>
                </tr>
              )
            })}
            <tr className="overall">
              <th scope="row">Overall</th>
              {reviews.map((one) => (
                <td key={one.seat}>
                  <Heat score={one.overallScore} />
                </td>
              ))}
              <td>
                <Strip
                  marks={reviews.flatMap((one) =>
                    one.overallScore === null ? [] : [{ seat: one.seat, score: one.overallScore }],
                  )}
                  mean={consolidation?.weightedOverallAvg ?? null}
                />
              </td>
              <td>{decimal(consolidation?.weightedOverallAvg)}</td>
              <td>{decimal(consolidation?.weightedOverallStddev, 2)}</td>
              <td>{consolidation?.overallAgreement?.toLowerCase() ?? '–'}</td>
            </tr>
          </tbody>
        </table>
      </div>
      <AbsentSeats failures={absent} lacks="no review" />
    </Section>
  )
}

const Heat = ({ score }: { score: number | null | undefined }) =>
  score == null ? (
    <span className="heat heat-none">–</span>
  ) : (
    <span className={`heat heat-${Math.round(score)}`}>
      {decimal(score, Number.isInteger(score) ? 0 : 1)}
    </span>
  )

/** The seats' signs at their scores, one above the other where they agree, and the line from the lowest to the highest. */
function Strip({ marks, mean }: { marks: { seat: number; score: number }[]; mean: number | null }) {
  const x = (score: number) => 8 + ((score - 1) / 4) * 104
  const level = (place: number) =>
    marks.slice(0, place).filter((other) => Math.abs(other.score - marks[place]!.score) < 0.4).length
  const deepest = Math.max(0, ...marks.map((_, place) => level(place)))
  const height = 16 + deepest * 9
  const all = marks.map((mark) => mark.score)
  return (
    <svg className="strip" width="120" height={height} aria-hidden="true">
      {[1, 2, 3, 4, 5].map((score) => (
        <path key={score} className="strip-tick" d={`M${x(score)} 0V${height}`} />
      ))}
      {all.length > 1 && (
        <path className="strip-span" d={`M${x(Math.min(...all))} 8H${x(Math.max(...all))}`} />
      )}
      {mean !== null && <path className="strip-mean" d={`M${x(mean)} 0V${height}`} />}
      {marks.map((mark, place) => (
        <path
          key={mark.seat}
          className={`sign-shape ${seatClass(mark.seat)}`}
          d={signPath(mark.seat)}
          transform={`translate(${x(mark.score) - 5} ${3 + level(place) * 9}) scale(.62)`}
          fillRule="evenodd"
        />
      ))}
    </svg>
  )
}

const alphaWords = (alpha: number) =>
  alpha >= 0.8
    ? 'they rank strengths and weaknesses alike'
    : alpha >= 0.4
      ? 'they partly agree on what is strong and what is weak'
      : alpha >= 0
        ? 'they hardly agree on what is strong and what is weak'
        : 'they see the weak points in opposite places'

function Agreement({ consolidation }: { consolidation: Consolidation }) {
  const agreement = consolidation.interReviewerAgreement
  const consensus = consolidation.consensusFindingCount
  const all = consensus + consolidation.uniqueFindingCount
  return (
    <Section
      title="How far they agree"
      note={
        consolidation.overallAgreement
          ? `${consolidation.overallAgreement.toLowerCase()} agreement overall`
          : undefined
      }
    >
      <dl className="measures">
        <Measure
          name="Found by several"
          value={agreement.findingsOverlapRate}
          shown={
            agreement.findingsOverlapRate === null ? 'no issues' : `${consensus} of ${plural(all, 'issue')}`
          }
        />
        <Measure
          name="Weighed alike"
          value={agreement.severityAgreementRate}
          shown={
            agreement.severityAgreementRate === null
              ? 'nothing in common'
              : `${percent(agreement.severityAgreementRate)} of those`
          }
        />
        <Measure
          name="Scores close together"
          value={
            agreement.averageScoreStddev === null ? null : 1 - Math.min(1, agreement.averageScoreStddev / 2)
          }
          shown={
            agreement.averageScoreStddev === null
              ? 'too few scores'
              : `mean spread ${decimal(agreement.averageScoreStddev, 2)}`
          }
        />
        <Measure
          name="Krippendorff’s α"
          value={
            agreement.krippendorffAlpha === null
              ? agreement.unanimous
                ? 1
                : null
              : Math.max(0, agreement.krippendorffAlpha)
          }
          shown={
            agreement.krippendorffAlpha === null
              ? agreement.unanimous
                ? 'all scores the same'
                : 'too few scores'
              : `${decimal(agreement.krippendorffAlpha, 2)}: ${alphaWords(agreement.krippendorffAlpha)}`
          }
        />
      </dl>
      {consolidation.disputes.length > 0 && (
        <ul className="disputes">
          {consolidation.disputes.map((one, place) => (
            <li key={place} dir="auto">
              <strong>{one.topic}</strong>
              {one.positionA && <p>One side: {one.positionA}</p>}
              {one.positionB && <p>The other: {one.positionB}</p>}
              {one.evidence && <p className="hint">{one.evidence}</p>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

const Measure = ({ name, value, shown }: { name: string; value: number | null; shown: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <svg width="100%" height="6" aria-hidden="true">
        <rect className="bar-ground" width="100%" height="6" />
        {value !== null && <rect className="measure" width={`${value * 100}%`} height="6" />}
      </svg>
      {shown}
    </dd>
  </div>
)

/** The issues by weight, what to do about them, and the work they were found in. */
function Findings({
  story,
  reviews,
  consolidation,
  work,
}: {
  story: Story
  reviews: Review[]
  consolidation: Consolidation | undefined
  work: string
}) {
  const prefix = useId()
  const [current, setCurrent] = useState<string | null>(null)
  const findings = reviews.flatMap((one) => one.findings)
  const places = annotationsOf(work, findings)
  const show = (id: string) => {
    setCurrent(id)
    document.getElementById(`${prefix}work`)?.scrollIntoView({ block: 'nearest' })
  }
  const back = (id: string) => {
    setCurrent(id)
    const issue = consolidation?.issues.find((one) => one.findingIds.includes(id))
    if (issue) reveal(`${prefix}${issue.number}`)
  }
  const quotes = (ids: string[]) =>
    findings
      .filter((one) => ids.includes(one.id) && one.quote)
      .map((one) => (
        <Quote
          key={one.id}
          finding={one}
          located={places.some((place) => place.id === one.id)}
          current={current === one.id}
          show={show}
        />
      ))
  if (findings.length === 0) {
    return (
      <Section title="What they found">
        <p className="callout">{consolidation ? 'No reviewer found anything to mend.' : 'Nothing so far.'}</p>
      </Section>
    )
  }
  return (
    <>
      <Section
        title="What they found"
        note={
          consolidation
            ? `${plural(consolidation.issues.length, 'issue')} from ${plural(findings.length, 'finding')}`
            : `${plural(findings.length, 'finding')} so far`
        }
      >
        {consolidation ? (
          <Board consolidation={consolidation} prefix={prefix} current={current} quotes={quotes} />
        ) : (
          <RawFindings reviews={reviews} />
        )}
      </Section>
      {consolidation && consolidation.actionItems.length > 0 && (
        <Actions consolidation={consolidation} run={story.opening?.runId ?? ''} />
      )}
      {consolidation && (
        <Section title="The work" note={`${plural(places.length, 'quotation')} found in it`}>
          <div id={`${prefix}work`}>
            <AnnotatedText
              text={work}
              annotations={places}
              current={current}
              pick={back}
              label="The work with what was quoted from it"
            />
          </div>
        </Section>
      )}
    </>
  )
}

function annotationsOf(work: string, findings: Finding[]): Annotation[] {
  return findings.flatMap((one) => {
    const span = one.quote && one.grounded !== false ? findQuote(work, one.quote) : null
    return span
      ? [
          {
            id: one.id,
            name: one.id,
            ...span,
            kind: KIND[one.severity] ?? 'open',
            sign: '',
            label: `${one.severity.toLowerCase()}: ${one.title}`,
          },
        ]
      : []
  })
}

/** What has been found so far, before anyone has put it together. */
const RawFindings = ({ reviews }: { reviews: Review[] }) => (
  <ul className="raw-findings">
    {reviews.flatMap((review) =>
      review.findings.map((one) => (
        <li key={one.id}>
          <Sign seat={review.seat} size={11} />{' '}
          <Badge kind={one.severity.toLowerCase()}>{one.severity.toLowerCase()}</Badge>{' '}
          <span dir="auto">{one.title}</span>
        </li>
      )),
    )}
  </ul>
)

function Board({
  consolidation,
  prefix,
  current,
  quotes,
}: {
  consolidation: Consolidation
  prefix: string
  current: string | null
  quotes: (ids: string[]) => ReactNode
}) {
  return (
    <div className="board">
      {SEVERITIES.map((severity) => {
        const issues = consolidation.issues.filter((one) => one.severity === severity)
        return (
          <section
            key={severity}
            aria-label={severity.toLowerCase()}
            className={issues.length === 0 ? 'bare' : ''}
          >
            <h4>
              <Badge kind={severity.toLowerCase()}>{severity}</Badge>{' '}
              <span className="note">{issues.length}</span>
            </h4>
            {issues.map((one) => (
              <IssueCard
                key={one.number}
                issue={one}
                id={`${prefix}${one.number}`}
                current={one.findingIds.includes(current ?? '')}
              >
                {quotes(one.findingIds)}
              </IssueCard>
            ))}
          </section>
        )
      })}
    </div>
  )
}

const IssueCard = ({
  issue,
  id,
  current,
  children,
}: {
  issue: Issue
  id: string
  current: boolean
  children: ReactNode
}) => (
  <article id={id} className={`issue ${current ? 'current' : ''}`}>
    <p className="issue-title" dir="auto">
      <strong>{issue.title}</strong>
    </p>
    <p className="note issue-by">
      {issue.reviewers.map((name) => (
        <Sign key={name} seat={seatOf(name)} size={11} />
      ))}
      {issue.consensus ? `found by ${issue.reviewers.length}` : `only ${issue.reviewers[0] ?? ''}`}
      {issue.severityDisputed && ' · severity disputed'}
      {issue.credibility === 'doubtful' && ' · doubtful'}
    </p>
    {issue.description && <p dir="auto">{issue.description}</p>}
    {issue.credibilityNote && (
      <p className="hint" dir="auto">
        {issue.credibilityNote}
      </p>
    )}
    {children}
  </article>
)

function Quote({
  finding,
  located,
  current,
  show,
}: {
  finding: Finding
  located: boolean
  current: boolean
  show: (id: string) => void
}) {
  if (!located) {
    return (
      <blockquote dir="auto" className={finding.grounded === false ? 'quote unfound' : 'quote'}>
        {finding.quote} {finding.grounded === false && <Badge kind="bad">quote not found</Badge>}
      </blockquote>
    )
  }
  return (
    <blockquote dir="auto" className="quote">
      <button
        type="button"
        data-kept
        className="quote-words"
        aria-pressed={current}
        onClick={() => show(finding.id)}
      >
        <span className="unseen">Show in the work: </span>
        {finding.quote}
      </button>
    </blockquote>
  )
}

/** What to do, to be ticked off; this browser remembers what was. */
function Actions({ consolidation, run }: { consolidation: Consolidation; run: string }) {
  const key = `moot.actions.${run}`
  const [ticks, setTicks] = useState<number[]>(() => storedTicks(key))
  const tick = (issue: number, on: boolean) => {
    const next = on ? [...ticks, issue] : ticks.filter((one) => one !== issue)
    setTicks(next)
    try {
      localStorage.setItem(key, JSON.stringify(next))
    } catch {
      return // nothing more than a memory is lost
    }
  }
  return (
    <Section
      title="What to do"
      note={`${ticks.length} of ${plural(consolidation.actionItems.length, 'action')} done`}
    >
      <ol className="actions">
        {consolidation.actionItems.map((one) => {
          const on = ticks.includes(one.issue)
          return (
            <li key={one.issue} className={on ? 'ticked' : ''}>
              <label>
                <input
                  type="checkbox"
                  checked={on}
                  onChange={(event) => tick(one.issue, event.target.checked)}
                />
                <span dir="auto">
                  <strong>{one.title}</strong>
                  {one.action && ` ${one.action}`}
                </span>
              </label>
              <span className="note">
                <Badge kind={one.severity.toLowerCase()}>{one.severity.toLowerCase()}</Badge>{' '}
                {one.effort && `${one.effort.toLowerCase()} effort`}
                {one.verifyFirst && <Badge kind="bad">verify first</Badge>}
              </span>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function storedTicks(key: string): number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'number') : []
  } catch {
    return []
  }
}
