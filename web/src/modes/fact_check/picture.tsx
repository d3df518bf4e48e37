import { useId, useState } from 'react'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { SecondOpinion } from '../../run/second_opinion'
import { type Story, eventsOf } from '../../run/story'
import { AnnotatedText, reveal } from '../../ui/annotated'
import { type Annotation, codeUnitOffsets } from '../../ui/annotations'
import { duration, humanize, plural } from '../../ui/format'
import { type Band, Gauge } from '../../ui/gauge'
import { SeatLabel, Sign } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

type Claim = Events['extract_complete']['data']['claims'][number]
type Checker = Events['checker_complete']['data']
type Consensus = Events['all_checkers_complete']['data']['consensus'][number]
type Report = Events['report_complete']['data']

const KIND: Record<string, string> = { VERIFIED: 'good', DISPUTED: 'bad', UNVERIFIABLE: 'stood' }
const MARK: Record<string, string> = { VERIFIED: '✓', DISPUTED: '✗', UNVERIFIABLE: '?' }
const BANDS: Band[] = [
  { from: 0, to: 30, name: 'unreliable', kind: 'bad' },
  { from: 30, to: 50, name: 'significant inaccuracies', kind: 'fair' },
  { from: 50, to: 70, name: 'mixed', kind: 'fair' },
  { from: 70, to: 90, name: 'mostly reliable', kind: 'good' },
  { from: 90, to: 100, name: 'highly reliable', kind: 'good' },
]

export function answer(story: Story): FinalAnswer | null {
  const report = last(story, 'report_complete')?.data
  if (!report) return null
  const by = report.model ? (
    <>
      Report by <SeatLabel model={report.model} role="reporter" />
    </>
  ) : (
    'Report compiled from the verdicts, not written by a model'
  )
  return { text: report.report, by, head: <Reliability report={report} /> }
}

export function Picture({ story }: PictureProps) {
  const content = last(story, 'generate_complete')?.data.content ?? last(story, 'extract_start')?.data.content
  const extraction = last(story, 'extract_complete')?.data
  if (!extraction) return null
  return (
    <>
      <Claims content={content} claims={extraction.claims} story={story} />
      <p className="hint">
        {content !== undefined &&
          extraction.truncated &&
          `Only the first ${extraction.checkedLength.toLocaleString('en')} characters were checked. `}
        {extraction.droppedClaims > 0 &&
          `${plural(extraction.droppedClaims, 'claim')} beyond the limit not checked. `}
        The checkers answered from memory; no sources were consulted.
      </p>
    </>
  )
}

/** The score on its ruler, and how much of the text it rests on. */
function Reliability({ report }: { report: Report }) {
  const { verified, disputed, unverifiable } = report.summary
  const all = verified + disputed + unverifiable
  return (
    <Gauge
      value={report.reliabilityScore}
      bands={BANDS}
      text={report.reliabilityScore === null ? 'n/a' : `${report.reliabilityScore} of 100:`}
      label="Reliability, of 100"
    >
      {report.reliabilityScore === null && (
        <span className="gauge-name">{report.summary.note ?? 'nothing could be decided'}</span>
      )}
      <span className="note">
        {all > 0
          ? `${verified + disputed} of ${plural(all, 'claim')} decided: ${verified} verified, ${disputed} disputed`
          : 'no claims'}
      </span>
    </Gauge>
  )
}

function Claims({ content, claims, story }: { content: string | undefined; claims: Claim[]; story: Story }) {
  const prefix = useId()
  const [current, setCurrent] = useState<string | null>(null)
  const checkers = every(story, 'checker_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const consensus = new Map(
    last(story, 'all_checkers_complete')?.data.consensus.map((one) => [one.claimId, one]) ?? [],
  )
  const seatModels =
    (story.opening as unknown as { config?: { checkerModels?: string[] } } | null)?.config?.checkerModels ??
    []
  const jump = (id: string) => {
    setCurrent(id)
    reveal(`${prefix}${id}`)
  }
  if (claims.length === 0) {
    return (
      <Section title="The text" note="no claims">
        <p className="callout">
          It contains no claim that could be checked. That says nothing about how good the text is.
        </p>
        <SecondOpinion opinion={last(story, 'extract_complete')?.data.secondOpinion} />
        {content !== undefined && (
          <AnnotatedText text={content} annotations={[]} current={null} pick={jump} label="The text" />
        )}
      </Section>
    )
  }
  return (
    <Section
      title="The text, claim by claim"
      note={`${plural(claims.length, 'claim')} · ${plural(seatModels.length || checkers.length, 'checker')}`}
    >
      <SecondOpinion opinion={last(story, 'extract_complete')?.data.secondOpinion} />
      <div className="two-panes">
        {content !== undefined && (
          <AnnotatedText
            text={content}
            annotations={annotationsOf(content, claims, consensus)}
            current={current}
            pick={jump}
            label="The text with its claims"
          />
        )}
        <ol className="claims">
          {claims.map((claim, place) => (
            <li key={claim.id} id={`${prefix}${claim.id}`} className={claim.id === current ? 'current' : ''}>
              <Fold
                onOpen={() => setCurrent(claim.id)}
                title={
                  <>
                    <strong>{place + 1}</strong> <span dir="auto">{claim.claim}</span>
                  </>
                }
                note={
                  <Dots
                    claim={claim}
                    checkers={checkers}
                    seatModels={seatModels}
                    consensus={consensus.get(claim.id)}
                  />
                }
              >
                <Evidence claim={claim} checkers={checkers} consensus={consensus.get(claim.id)} />
              </Fold>
            </li>
          ))}
        </ol>
      </div>
    </Section>
  )
}

function annotationsOf(content: string, claims: Claim[], consensus: Map<string, Consensus>): Annotation[] {
  const located = claims
    .map((claim, place) => ({ claim, name: String(place + 1) }))
    .filter(({ claim }) => claim.start !== null && claim.end !== null)
  const at = codeUnitOffsets(
    content,
    located.flatMap(({ claim }) => [claim.start!, claim.end!]),
  )
  return located.map(({ claim, name }, place) => {
    const verdict = consensus.get(claim.id)?.consensusVerdict
    return {
      id: claim.id,
      name,
      start: at[2 * place]!,
      end: at[2 * place + 1]!,
      kind: verdict ? KIND[verdict]! : 'open',
      sign: verdict ? MARK[verdict]! : '',
      label: `claim ${verdict?.toLowerCase() ?? 'not yet decided'}`,
    }
  })
}

/** One dot per checker: who is of one mind and who is not. */
function Dots({
  claim,
  checkers,
  seatModels,
  consensus,
}: {
  claim: Claim
  checkers: Checker[]
  seatModels: string[]
  consensus: Consensus | undefined
}) {
  return (
    <>
      {seatModels.map((model, place) => {
        const checker = checkers.find((one) => one.seat === place + 1)
        const opinion = checker?.verifications.find(
          (one) => one.claimId === claim.id && !one.missing,
        )?.verdict
        const state = opinion
          ? opinion.toLowerCase()
          : checker?.failed
            ? 'failed'
            : checker
              ? 'no verdict'
              : 'not yet'
        return (
          <span
            key={place}
            className={`dot ink-${opinion ? KIND[opinion] : 'stood'}`}
            title={`${model}: ${state}`}
          >
            <Sign seat={place + 1} size={11} hollow={checker?.failed ?? false} />
            <span aria-hidden="true">{opinion ? MARK[opinion] : checker ? '–' : '·'}</span>
            <span className="unseen">{`seat ${place + 1} ${state}, `}</span>
          </span>
        )
      })}{' '}
      {consensus && (
        <Badge kind={KIND[consensus.consensusVerdict] ?? 'stood'}>
          {humanize(consensus.consensusVerdict.toLowerCase())}
        </Badge>
      )}
    </>
  )
}

function Evidence({
  claim,
  checkers,
  consensus,
}: {
  claim: Claim
  checkers: Checker[]
  consensus: Consensus | undefined
}) {
  return (
    <>
      <p className="hint">
        {humanize(claim.type.toLowerCase())}
        {claim.start === null && ' · not found word for word in the text'}
        {consensus &&
          ` · ${consensus.votesCast > 0 ? `${consensus.agreementRate}% of ${plural(consensus.votesCast, 'vote')}, ${consensus.consensusConfidence.toLowerCase()} confidence` : 'no votes'}${consensus.tieBroken ? ', tie broken' : ''}`}
      </p>
      {consensus?.correction && (
        <p className="callout" dir="auto">
          <strong>Correction.</strong> {consensus.correction}
        </p>
      )}
      {checkers.map((checker) => {
        const entry = checker.verifications.find((other) => other.claimId === claim.id && !other.missing)
        return (
          <div key={checker.seat} className="framed evidence">
            <p className="line">
              <SeatLabel seat={checker.seat} model={checker.model} />
              {entry ? (
                <Badge
                  kind={KIND[entry.verdict]!}
                >{`${MARK[entry.verdict]} ${entry.verdict.toLowerCase()}`}</Badge>
              ) : (
                <span className="note">{checker.failed ? 'failed' : 'no verdict'}</span>
              )}
              {entry && (
                <span className="note">{`${entry.confidence.toLowerCase()} confidence · ${duration(checker.responseTimeMs)} for all claims`}</span>
              )}
            </p>
            {entry?.evidence && <p dir="auto">{entry.evidence}</p>}
            {entry?.correction && (
              <p className="hint" dir="auto">
                Correction: {entry.correction}
              </p>
            )}
          </div>
        )
      })}
    </>
  )
}
