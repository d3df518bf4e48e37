import './picture.css'
import { Markdown } from '../../ui/markdown'
import { Bars } from '../../ui/bars'
import { decimal, plural, duration, humanize } from '../../ui/format'
import { Badge, Fold, Section } from '../../ui/section'
import { WordDiff } from '../../ui/word_diff'
import { Rating } from '../../run/rating'
import { SeatLabel, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import { PROPOSER, SKEPTIC } from './roles'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Proposal = Events['proposer_complete']['data']
type Critique = Events['skeptic_complete']['data']
type Round = Events['round_complete']['data']
type Ledger = Events['synthesis_start']['data']['ledger']
type Score = Events['score_complete']['data']

/** The two sides keep the colours of the first two seats. */
const WEIGHTS = ['critical', 'major', 'minor'] as const
const KIND: Record<string, string> = { critical: 'critical', major: 'fair', minor: 'merged' }
const STATUS: Record<string, [sign: string, word: string]> = {
  raised: ['●', 'raised'],
  resolved: ['✓', 'resolved'],
  partial: ['±', 'partly'],
  unresolved: ['✗', 'open'],
}
const ENDS: Record<string, string> = {
  ready_signal: 'the skeptic was satisfied',
  no_critical_issues: 'nothing critical was left',
  max_rounds: 'the rounds were used up',
  time_budget: 'the time was used up',
  token_budget: 'the tokens were used up',
  proposer_failed: 'the proposer failed',
  skeptic_failed: 'the skeptic failed',
  cancelled: 'it was stopped',
}

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesis_complete')?.data
  if (!synthesis) return null
  const by = (
    <>
      {synthesis.fallback ? 'The proposer’s last answer' : 'Settled by'}{' '}
      {!synthesis.fallback && <SeatLabel model={synthesis.model} role="synthesizer" />}
      {synthesis.confidence !== null && (
        <span>{`confidence ${decimal(synthesis.confidence, Number.isInteger(synthesis.confidence) ? 0 : 1)} of 10`}</span>
      )}
    </>
  )
  return { text: synthesis.answer, by }
}

export function Picture({ story }: PictureProps) {
  const rounds = every(story, 'round_complete').map((event) => event.data)
  const end = last(story, 'synthesis_start')?.data
  const synthesis = last(story, 'synthesis_complete')?.data
  const score = last(story, 'score_complete')?.data
  const trace = last(story, 'trace_saved')?.data
  return (
    <>
      {synthesis && (synthesis.changes.length > 0 || synthesis.caveats.length > 0) && (
        <Changes changes={synthesis.changes} caveats={synthesis.caveats} />
      )}
      {rounds.length > 0 && (
        <Section
          title="What was still open"
          note={
            end && `${plural(end.totalRounds, 'round')}, then ${ENDS[end.reason] ?? humanize(end.reason)}`
          }
        >
          <BurnDown rounds={rounds} />
          {end &&
            (end.ledger.length > 0 ? (
              <IssueLedger ledger={end.ledger} rounds={rounds} />
            ) : (
              <p className="hint">No issue was raised.</p>
            ))}
        </Section>
      )}
      <Timeline story={story} />
      {(trace || score) && (
        <Section
          title="What it is worth"
          note={score?.autoScore != null ? `the judge gives ${decimal(score.autoScore)} of 10` : undefined}
        >
          {score && <JudgeScore score={score} />}
          {trace && story.ended && (
            <Rating
              traceId={trace.traceId}
              reasons={score?.reasons.filter((one) => one !== 'low_quality') ?? null}
            />
          )}
        </Section>
      )}
      <Scaffolds story={story} />
    </>
  )
}

const Changes = ({ changes, caveats }: { changes: string[]; caveats: string[] }) => (
  <Section title="What the debate changed">
    {changes.length > 0 && (
      <ul>
        {changes.map((one, place) => (
          <li key={place} dir="auto">
            {one}
          </li>
        ))}
      </ul>
    )}
    {caveats.length > 0 && (
      <>
        <h4>What to keep in mind</h4>
        <ul>
          {caveats.map((one, place) => (
            <li key={place} dir="auto">
              {one}
            </li>
          ))}
        </ul>
      </>
    )}
  </Section>
)

function JudgeScore({ score }: { score: Score }) {
  if (score.autoScore === null)
    return (
      <p className="callout">
        The judge gave no grade that could be read.{score.scoreError && ` ${score.scoreError}`}
      </p>
    )
  return (
    <>
      <Bars
        label="Criteria, of 10"
        most={10}
        bars={Object.entries(score.criteria).map(([name, value]) => ({
          key: name,
          label: humanize(name),
          value: value ?? 0,
          text: value === null ? 'not given' : decimal(value),
        }))}
      />
      {score.justification && (
        <p className="reason" dir="auto">
          {score.justification}
        </p>
      )}
      <p className="note">
        by <SeatLabel model={score.judgeModel} role="judge" />
        {score.scoreInconsistent && ' · the figure it stated does not fit its own criteria'}
      </p>
    </>
  )
}

const TOP = 62
const HIGH = 120
const STEP = 92

/** Open issues per round as stacked bars; above them the skeptic's score as a line, from 0 to 10. */
function BurnDown({ rounds }: { rounds: Round[] }) {
  const open = (round: Round) => round.openIssues.critical + round.openIssues.major + round.openIssues.minor
  const most = Math.max(1, ...rounds.map(open))
  const [width, floor] = [50 + rounds.length * STEP + 10, TOP + 16 + HIGH]
  const x = (place: number) => 50 + place * STEP + STEP / 2
  const y = (count: number) => floor - (count / most) * HIGH
  const line = rounds.flatMap((round, place) =>
    round.score === null
      ? []
      : [{ at: x(place), to: TOP - (round.score / 10) * (TOP - 16), value: round.score, round: round.round }],
  )
  const label = rounds
    .map(
      (round) =>
        `round ${round.round}: ${WEIGHTS.map((name) => `${round.openIssues[name]} ${name}`).join(', ')} open, score ${decimal(round.score)}`,
    )
    .join('; ')
  return (
    <figure className="burn-down">
      <svg viewBox={`0 0 ${width} ${floor + 26}`} width={width} role="img" aria-label={label}>
        <path className="burn-panel" d={`M50 16H${width}M50 ${TOP}H${width}`} />
        <path className="burn-axis" d={`M50 ${TOP + 16}V${floor}H${width}`} />
        {[
          ['10', 20],
          ['0', TOP + 4],
          [String(most), TOP + 24],
          ['0', floor],
        ].map(([text, at], place) => (
          <text key={place} x="42" y={at} textAnchor="end">
            {text}
          </text>
        ))}
        <text x="0" y={TOP / 2 + 12}>
          score
        </text>
        <text x="0" y={TOP + 20 + HIGH / 2}>
          open
        </text>
        {rounds.map((round, place) => (
          <g key={round.round}>
            <IssueStack round={round} x={x(place)} y={y} />
            <text x={x(place)} y={floor + 18} textAnchor="middle">
              Round {round.round}
            </text>
          </g>
        ))}
        {line.length > 1 && (
          <polyline className="burn-line" points={line.map((one) => `${one.at},${one.to}`).join(' ')} />
        )}
        {line.map((one) => (
          <g key={one.round}>
            <circle className="burn-dot" cx={one.at} cy={one.to} r="4.500" />
            <text className="burn-score" x={one.at + 9} y={one.to + 13}>
              {decimal(one.value, Number.isInteger(one.value) ? 0 : 1)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption>Issues that were open after each round, and the skeptic’s score of 10.</figcaption>
    </figure>
  )
}

/** The heavier an issue, the higher it lies. */
function IssueStack({ round, x, y }: { round: Round; x: number; y: (count: number) => number }) {
  const { critical, major, minor } = round.openIssues
  const layers = [
    { name: 'minor', count: minor, from: 0 },
    { name: 'major', count: major, from: minor },
    { name: 'critical', count: critical, from: minor + major },
  ].filter((layer) => layer.count > 0)
  if (layers.length === 0) {
    return (
      <text x={x} y={y(0) - 6} textAnchor="middle">
        none
      </text>
    )
  }
  return layers.map(({ name, count, from }) => {
    const [top, bottom] = [y(from + count), y(from)]
    return (
      <g key={name} className={`burn-${name}`}>
        <rect x={x - 32} y={top} width="64" height={Math.max(2, bottom - top - 1.5)} />
        {bottom - top > 13 && (
          <text className="burn-count" x={x} y={(top + bottom) / 2 + 4} textAnchor="middle">
            {count} {name}
          </text>
        )}
      </g>
    )
  })
}

const IssueStatus = ({ status }: { status: string }) => {
  const [sign, word] = STATUS[status] ?? ['', humanize(status)]
  return (
    <span className={`mark-${status}`}>
      {sign} {word}
    </span>
  )
}

const IssueLedger = ({ ledger, rounds }: { ledger: Ledger; rounds: Round[] }) => (
  <div className="scroll" tabIndex={0} role="group" aria-label="Issues by round">
    <table className="figures ledger">
      <thead>
        <tr>
          <th scope="col">Issue</th>
          {rounds.map((round) => (
            <th key={round.round} scope="col">{`Round ${round.round}`}</th>
          ))}
          <th scope="col">In the end</th>
        </tr>
      </thead>
      <tbody>
        {ledger.map((issue) => (
          <tr key={issue.id}>
            <th scope="row" dir="auto">
              <Badge kind={KIND[issue.severity] ?? 'stood'}>{`${issue.id} ${issue.severity}`}</Badge>{' '}
              {issue.title}
            </th>
            {rounds.map((round) => {
              const status = issue.history.find((one) => one.round === round.round)?.status
              return <td key={round.round}>{status && <IssueStatus status={status} />}</td>
            })}
            <td>
              <strong>
                <IssueStatus status={issue.status} />
              </strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Two lanes with the rounds between them: what is answered on the left is doubted on the right. */
function Timeline({ story }: { story: Story }) {
  const roundStarts = every(story, 'round_start').map((event) => event.data)
  const proposals = new Map(every(story, 'proposer_complete').map((event) => [event.data.round, event.data]))
  const critiques = new Map(every(story, 'skeptic_complete').map((event) => [event.data.round, event.data]))
  if (roundStarts.length === 0) return null
  return (
    <Section title="The rounds" note={`at most ${roundStarts[0]!.maxRounds}`}>
      <ol className="timeline">
        {roundStarts.map(({ round }) => {
          const [proposal, critique] = [proposals.get(round), critiques.get(round)]
          const current = !story.ended && round === roundStarts.at(-1)!.round
          return (
            <li key={round}>
              <div className={`lane ${seatClass(PROPOSER)} ${current && !proposal ? 'at-work' : ''}`}>
                {proposal ? (
                  <ProposalCard proposal={proposal} before={proposals.get(round - 1)} />
                ) : (
                  <p className="hint">
                    {story.ended ? 'The proposer gave no answer.' : 'The proposer is writing.'}
                  </p>
                )}
              </div>
              <span className="bead">
                <span className="unseen">Round </span>
                {round}
              </span>
              <div
                className={`lane ${seatClass(SKEPTIC)} ${current && proposal && !critique ? 'at-work' : ''}`}
              >
                {critique ? (
                  <CritiqueCard critique={critique} />
                ) : proposal ? (
                  <p className="hint">
                    {story.ended || !current ? 'The skeptic gave no critique.' : 'The skeptic is reading.'}
                  </p>
                ) : null}
              </div>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function ProposalCard({ proposal, before }: { proposal: Proposal; before: Proposal | undefined }) {
  return (
    <>
      <p className="line">
        <SeatLabel seat={PROPOSER} model={proposal.model} role="proposer" />
        <span className="note">
          {proposal.confidence !== null && `confidence ${decimal(proposal.confidence, 0)} · `}
          {proposal.responseTimeMs !== null && duration(proposal.responseTimeMs)}
          {proposal.truncated && ' · cut off'}
        </span>
      </p>
      {proposal.replies.length > 0 && (
        <ul className="replies">
          {proposal.replies.map((one) => (
            <li key={one.id}>
              <strong>{one.id}</strong>{' '}
              <Badge kind={one.decision === 'ACCEPT' ? 'revised' : 'merged'}>
                {one.decision === 'ACCEPT' ? 'accepted' : 'defended'}
              </Badge>{' '}
              <span dir="auto">{one.note}</span>
            </li>
          ))}
        </ul>
      )}
      {proposal.unanswered.length > 0 && (
        <p className="hint">Left without a reply: {proposal.unanswered.join(', ')}</p>
      )}
      <Fold title={before ? 'The answer now' : 'The first answer'}>
        <Markdown text={proposal.answer} />
      </Fold>
      {before && (
        <Fold title="What changed since, word by word">
          <WordDiff before={before.answer} after={proposal.answer} />
        </Fold>
      )}
    </>
  )
}

const CritiqueCard = ({ critique }: { critique: Critique }) => (
  <>
    <p className="line">
      <SeatLabel seat={SKEPTIC} model={critique.model} role="skeptic" />
      {critique.ready && <Badge kind="good">ready</Badge>}
      <span className="note">
        {critique.score !== null &&
          `${decimal(critique.score, Number.isInteger(critique.score) ? 0 : 1)} of 10 · `}
        {critique.responseTimeMs !== null && duration(critique.responseTimeMs)}
        {critique.truncated && ' · cut off'}
      </span>
    </p>
    {critique.contradictorySignal && (
      <p className="hint">It said both that it is satisfied and that something critical is open.</p>
    )}
    {critique.issues.length > 0 ? (
      <ul className="replies">
        {critique.issues.map((one) => (
          <li key={one.id} dir="auto">
            <Badge kind={KIND[one.severity] ?? 'stood'}>{`${one.id} ${one.severity}`}</Badge> {one.title}
          </li>
        ))}
      </ul>
    ) : (
      <p className="hint">Nothing new.</p>
    )}
    {critique.statuses.length > 0 && (
      <p className="statuses">
        {critique.statuses.map((one) => (
          <span key={one.id}>
            {one.id} <IssueStatus status={one.status} />
          </span>
        ))}
      </p>
    )}
    <Fold title="The critique">
      <Markdown text={critique.content} />
    </Fold>
  </>
)

function Scaffolds({ story }: { story: Story }) {
  const retrieval = last(story, 'rag_complete')?.data
  if (!retrieval) return null
  return (
    <Section
      title="The templates it began from"
      note={
        retrieval.templates.length > 0 ? `at least ${decimal(retrieval.minSimilarity, 2)} alike` : undefined
      }
    >
      {retrieval.templates.length > 0 ? (
        <Bars
          label="Similarity to the question"
          most={1}
          bars={retrieval.templates.map((one) => ({
            key: one.id,
            label: <span className="chip">{one.name}</span>,
            value: one.similarity,
            text: decimal(one.similarity, 2),
          }))}
        />
      ) : (
        <p className="hint">
          {retrieval.degraded
            ? 'No template was looked up: the general one stood in.'
            : 'None was near enough to the question: the general one stood in.'}{' '}
          <a href="#/traces">Your own templates</a>
        </p>
      )}
    </Section>
  )
}
