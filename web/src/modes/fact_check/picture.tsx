import './picture.css'
import { useId, useState } from 'react'
import { Annotated, reveal } from '../../ui/annotated'
import { type Band, Gauge } from '../../ui/gauge'
import { many, seconds, words } from '../../ui/format'
import { Badge, Fold, Part } from '../../ui/section'
import { type Place, inHalves } from '../../ui/places'
import { Sign, Who } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Claim = Events['extract_complete']['data']['claims'][number]
type Checker = Events['checker_complete']['data']
type Agreed = Events['all_checkers_complete']['data']['consensus'][number]
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
  const done = last(story, 'report_complete')?.data
  if (!done) return null
  const by = done.model ? (
    <>
      Report by <Who model={done.model} role="reporter" />
    </>
  ) : (
    'Report composed from the verdicts; no model wrote it'
  )
  return { text: done.report, by, head: <Reliability done={done} /> }
}

export function Picture({ story }: PictureProps) {
  const content = last(story, 'generate_complete')?.data.content ?? last(story, 'extract_start')?.data.content
  const extracted = last(story, 'extract_complete')?.data
  if (!extracted) return null
  return (
    <>
      <Checked content={content} claims={extracted.claims} story={story} />
      <p className="hint">
        {content !== undefined &&
          extracted.truncated &&
          `Only the first ${extracted.checkedLength.toLocaleString('en')} characters were checked. `}
        {extracted.droppedClaims > 0 &&
          `${many(extracted.droppedClaims, 'claim')} beyond the limit were left out. `}
        The checkers answer from what they know; no sources were consulted.
      </p>
    </>
  )
}

/** The score on its ruler, and how much of the text it rests on. */
function Reliability({ done }: { done: Report }) {
  const { verified, disputed, unverifiable } = done.summary
  const all = verified + disputed + unverifiable
  return (
    <Gauge
      value={done.reliabilityScore}
      bands={BANDS}
      shown={done.reliabilityScore === null ? 'n/a' : String(done.reliabilityScore)}
      label="Reliability, of 100"
    >
      {done.reliabilityScore === null && (
        <span className="gauge-name">{done.summary.note ?? 'nothing could be decided'}</span>
      )}
      <span className="note">
        {all > 0
          ? `${verified + disputed} of ${many(all, 'claim')} decided: ${verified} verified, ${disputed} disputed`
          : 'no claims'}
      </span>
    </Gauge>
  )
}

function Checked({ content, claims, story }: { content: string | undefined; claims: Claim[]; story: Story }) {
  const prefix = useId()
  const [current, setCurrent] = useState<string | null>(null)
  const checkers = every(story, 'checker_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)
  const agreed = new Map(
    last(story, 'all_checkers_complete')?.data.consensus.map((one) => [one.claimId, one]) ?? [],
  )
  const asked =
    (story.opening as unknown as { config?: { checkerModels?: string[] } } | null)?.config?.checkerModels ??
    []
  const jump = (id: string) => {
    setCurrent(id)
    reveal(`${prefix}${id}`)
  }
  if (claims.length === 0) {
    return (
      <Part title="The text" note="no claims">
        <p className="callout">No claim that could be checked was found in it.</p>
        {content !== undefined && (
          <Annotated text={content} places={[]} current={null} pick={jump} label="The text" />
        )}
      </Part>
    )
  }
  return (
    <Part
      title="The text, claim by claim"
      note={`${many(claims.length, 'claim')} · ${many(asked.length || checkers.length, 'checker')}`}
    >
      <div className="two-panes">
        {content !== undefined && (
          <Annotated
            text={content}
            places={placesOf(content, claims, agreed)}
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
                note={<Dots claim={claim} checkers={checkers} asked={asked} agreed={agreed.get(claim.id)} />}
              >
                <Evidence claim={claim} checkers={checkers} agreed={agreed.get(claim.id)} />
              </Fold>
            </li>
          ))}
        </ol>
      </div>
    </Part>
  )
}

function placesOf(content: string, claims: Claim[], agreed: Map<string, Agreed>): Place[] {
  const found = claims
    .map((claim, place) => ({ claim, name: String(place + 1) }))
    .filter(({ claim }) => claim.start !== null && claim.end !== null)
  const at = inHalves(
    content,
    found.flatMap(({ claim }) => [claim.start!, claim.end!]),
  )
  return found.map(({ claim, name }, place) => {
    const verdict = agreed.get(claim.id)?.consensusVerdict
    return {
      id: claim.id,
      name,
      start: at[2 * place]!,
      end: at[2 * place + 1]!,
      kind: verdict ? KIND[verdict]! : 'open',
      sign: verdict ? MARK[verdict]! : '',
      said: `claim ${verdict?.toLowerCase() ?? 'not yet decided'}`,
    }
  })
}

/** One dot per checker: who is of one mind and who is not. */
function Dots({
  claim,
  checkers,
  asked,
  agreed,
}: {
  claim: Claim
  checkers: Checker[]
  asked: string[]
  agreed: Agreed | undefined
}) {
  return (
    <>
      {asked.map((model, place) => {
        const checker = checkers.find((one) => one.seat === place + 1)
        const said = checker?.verifications.find((one) => one.claimId === claim.id && !one.missing)?.verdict
        const state = said
          ? said.toLowerCase()
          : checker?.failed
            ? 'failed'
            : checker
              ? 'said nothing'
              : 'not yet'
        return (
          <span key={place} className={`dot ink-${said ? KIND[said] : 'stood'}`} title={`${model}: ${state}`}>
            <Sign seat={place + 1} size={11} hollow={checker?.failed ?? false} />
            <span aria-hidden="true">{said ? MARK[said] : checker ? '–' : '·'}</span>
            <span className="unseen">{`seat ${place + 1} ${state}, `}</span>
          </span>
        )
      })}{' '}
      {agreed && (
        <Badge kind={KIND[agreed.consensusVerdict] ?? 'stood'}>
          {words(agreed.consensusVerdict.toLowerCase())}
        </Badge>
      )}
    </>
  )
}

function Evidence({
  claim,
  checkers,
  agreed,
}: {
  claim: Claim
  checkers: Checker[]
  agreed: Agreed | undefined
}) {
  return (
    <>
      <p className="hint">
        {words(claim.type.toLowerCase())}
        {claim.start === null && ' · its words were not found in the text'}
        {agreed &&
          ` · ${agreed.votesCast > 0 ? `${agreed.agreementRate} % of ${many(agreed.votesCast, 'vote')}, ${agreed.consensusConfidence.toLowerCase()} confidence` : 'no votes'}${agreed.tieBroken ? ', a tie was broken' : ''}`}
      </p>
      {agreed?.correction && (
        <p className="callout" dir="auto">
          <strong>Correction.</strong> {agreed.correction}
        </p>
      )}
      {checkers.map((checker) => {
        const entry = checker.verifications.find((other) => other.claimId === claim.id && !other.missing)
        return (
          <div key={checker.seat} className="framed evidence">
            <p className="line">
              <Who seat={checker.seat} model={checker.model} />
              {entry ? (
                <Badge
                  kind={KIND[entry.verdict]!}
                >{`${MARK[entry.verdict]} ${entry.verdict.toLowerCase()}`}</Badge>
              ) : (
                <span className="note">{checker.failed ? 'failed' : 'said nothing of it'}</span>
              )}
              {entry && (
                <span className="note">{`${entry.confidence.toLowerCase()} confidence · ${seconds(checker.responseTimeMs)} for all claims`}</span>
              )}
            </p>
            {entry?.evidence && <p dir="auto">{entry.evidence}</p>}
            {entry?.correction && (
              <p className="hint" dir="auto">
                Instead: {entry.correction}
              </p>
            )}
          </div>
        )
      })}
    </>
  )
}
