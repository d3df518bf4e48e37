import { type ReactNode, useId, useState } from 'react'
import type { Story } from '../../run/story'
import { AnnotatedText, reveal } from '../../ui/annotated'
import { type Annotation, findQuote } from '../../ui/annotations'
import { plural } from '../../ui/format'
import { Sign } from '../../ui/seats'
import { Badge, Section } from '../../ui/section'
import { Actions } from './actions'
import type { Events } from './wire'

type Review = Events['reviewer_complete']['data']
type Consolidation = Events['consolidation_complete']['data']
type Issue = Consolidation['issues'][number]
type Finding = Review['findings'][number]

const SEVERITIES = ['CRITICAL', 'MAJOR', 'MINOR', 'SUGGESTION'] as const

const KIND: Record<string, string> = { CRITICAL: 'bad', MAJOR: 'fair', MINOR: 'open', SUGGESTION: 'stood' }

const seatOf = (reviewer: string) => Number(reviewer.replace(/\D/g, '')) || null

/** The issues by weight, what to do about them, and the work they were found in. */
export function Findings({
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
        <p className="callout">{consolidation ? 'No reviewer found a problem.' : 'Nothing so far.'}</p>
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
              label="The text, with quotes marked"
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
