import { Drawing, Radar } from '../../ui/charts'
import { FAILURE_WORDS, failuresAt } from '../../run/failures'
import { Bars } from '../../ui/bars'
import { decimal, plural, percent, duration } from '../../ui/format'
import { Badge, Fold, Section } from '../../ui/section'
import { Markdown } from '../../ui/markdown'
import { Sign, SignAt, SeatLabel, seatClass, shortModel, tenth } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events, FailedJuror, JurorAssessment, JurorSummary, JuryVerdict } from './wire'
import './picture.css'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

const DIMENSIONS = ['accuracy', 'completeness', 'clarity', 'relevance', 'actionability'] as const
const VERDICTS = ['APPROVE', 'REVISE', 'REJECT'] as const
const KIND: Record<string, string> = { APPROVE: 'good', REVISE: 'fair', REJECT: 'bad' }
const SOURCES: Record<string, string> = {
  majority: 'by majority',
  tie_rule: 'by the rule for ties',
  foreman: 'by the foreman, as no vote could be counted',
  default: 'by default, as no vote could be counted',
}

const jurorsOf = (story: Story) =>
  every(story, 'juror_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)

export function answer(story: Story): FinalAnswer | null {
  const verdict = last(story, 'verdict_complete')?.data
  if (!verdict) return null
  const by = verdict.model ? (
    <>
      Report by <SeatLabel model={verdict.model} role="foreman" />
    </>
  ) : (
    'Report by the server: the foreman gave none'
  )
  return { text: verdict.reportText, by, head: <Bench story={story} verdict={verdict} /> }
}

export function Picture({ story }: PictureProps) {
  const panel = last(story, 'all_jurors_complete')?.data
  const verdict = last(story, 'verdict_complete')?.data
  const jurors = jurorsOf(story)
  const scorers = jurors.filter((one) => DIMENSIONS.some((name) => one.scores[name] != null))
  return (
    <>
      {!verdict && (jurors.length > 0 || panel) && (
        <Section title="The bench">
          <Bench story={story} />
        </Section>
      )}
      {jurors.length > 0 && (
        <Section
          title="The jury's scores"
          note={panel?.verdictAgreement == null ? undefined : `agreement ${percent(panel.verdictAgreement)}`}
        >
          {scorers.length === 0 ? (
            <p className="hint">No score could be read.</p>
          ) : (
            <div className="scores">
              <Web jurors={scorers} panel={panel} />
              <Spreads jurors={scorers} panel={panel} verdict={verdict} />
            </div>
          )}
        </Section>
      )}
      {jurors.length > 0 && (
        <Section title="Each juror">
          <div className="jurors">
            {[...jurors, ...(panel?.failedJurors ?? [])]
              .sort((a, b) => a.seat - b.seat)
              .map((one) =>
                'reason' in one ? (
                  <EmptyChair key={one.seat} one={one} />
                ) : (
                  <Juror key={one.seat} one={one} panel={panel} />
                ),
              )}
          </div>
        </Section>
      )}
    </>
  )
}

/** The verdict, and who sits on which side of it. */
function Bench({ story, verdict }: { story: Story; verdict?: JuryVerdict }) {
  const panel = last(story, 'all_jurors_complete')?.data
  const jurors = jurorsOf(story)
  const silent = jurors.filter((one) => !one.verdict)
  const ruling = verdict?.finalVerdict ?? panel?.majorityVerdict ?? null
  const source = SOURCES[verdict?.verdictSource ?? panel?.verdictSource ?? '']
  const voteCount = jurors.length - silent.length
  const absent =
    panel?.failedJurors ??
    failuresAt(story, 'deliberation').map((one) => ({ seat: one.seat ?? 0, model: one.model }))
  const total = panel ? 0 : (last(story, 'deliberation_start')?.data.totalJurors ?? 0)
  const waiting = Array.from({ length: total }, (_, place) => ({ seat: place + 1, model: null })).filter(
    ({ seat }) => ![...jurors, ...absent].some((one) => one.seat === seat),
  )
  return (
    <div className={`bench ${ruling ? `bench-${KIND[ruling]}` : ''}`}>
      {ruling && (
        <p className="ruling">
          <strong>{ruling}</strong>{' '}
          <span className="note">
            {source}
            {verdict?.foremanDiffers &&
              verdict.foremanVerdict &&
              `; the foreman would ${verdict.foremanVerdict.toLowerCase()}`}
          </span>
        </p>
      )}
      {voteCount === 0 && panel && <p className="hint">No votes were cast that could be counted.</p>}
      <dl className="sides">
        {VERDICTS.map((side) => (
          <Side
            key={side}
            name={side}
            jurors={jurors.filter((one) => one.verdict === side)}
            chosen={side === ruling}
          />
        ))}
        {silent.length + absent.length > 0 && <Side name="no vote" jurors={[...silent, ...absent]} hollow />}
        {waiting.length > 0 && (
          <Side name={story.ended ? 'not heard' : 'still out'} jurors={waiting} hollow />
        )}
      </dl>
    </div>
  )
}

function Side({
  name,
  jurors,
  chosen = false,
  hollow = false,
}: {
  name: string
  jurors: { seat: number; model: string | null }[]
  chosen?: boolean
  hollow?: boolean
}) {
  return (
    <div className={`side-of side-${KIND[name] ?? 'none'} ${chosen ? 'chosen' : ''}`}>
      <dt>
        {name.toLowerCase()} <span className="count">{jurors.length}</span>
      </dt>
      <dd>
        {jurors.map((one) => (
          <span key={one.seat} title={[one.model, `seat ${one.seat}`].filter(Boolean).join(', ')}>
            <Sign seat={one.seat} size={20} hollow={hollow} />
            <span className="unseen">{shortModel(one.model) || `seat ${one.seat}`} </span>
          </span>
        ))}
      </dd>
    </div>
  )
}

function Web({ jurors, panel }: { jurors: JurorAssessment[]; panel: JurorSummary | undefined }) {
  const label = panel
    ? `Mean scores of ten: ${DIMENSIONS.map((name) => `${name} ${decimal(panel.dimensionAverages[name])}`).join(', ')}`
    : `Scores of ${plural(jurors.length, 'juror')} so far`
  const webs = jurors.map((one) => ({
    key: String(one.seat),
    className: `juror ${seatClass(one.seat)}`,
    scores: DIMENSIONS.map((name) => one.scores[name]),
  }))
  const mean = panel
    ? [{ key: 'mean', className: 'mean', scores: DIMENSIONS.map((name) => panel.dimensionAverages[name]) }]
    : []
  return (
    <Radar
      rays={DIMENSIONS.map((name) => ({ key: name, label: name }))}
      most={10}
      webs={[...webs, ...mean]}
      label={label}
    />
  )
}

/** A row per dimension: where each juror stands, from lowest to highest, and the mean. */
function Spreads({
  jurors,
  panel,
  verdict,
}: {
  jurors: JurorAssessment[]
  panel: JurorSummary | undefined
  verdict: JuryVerdict | undefined
}) {
  return (
    <div>
      <ul className="spreads" aria-label="Scores per dimension, of 10">
        {DIMENSIONS.map((name) => (
          <li key={name}>
            <span className="spread-name">{name}</span>
            <Whisker
              scores={jurors.flatMap((one) =>
                one.scores[name] == null
                  ? []
                  : [{ seat: one.seat, model: one.model, score: one.scores[name] }],
              )}
              mean={panel?.dimensionAverages[name]}
            />
            <span className="spread-mean">{panel ? decimal(panel.dimensionAverages[name]) : ''}</span>
            <span className="note">
              {verdict?.dimensionAnalysis.find((one) => one.dimension === name)?.consensus}
            </span>
          </li>
        ))}
      </ul>
      <p className="hint">
        Each sign is a juror's score from 1 to 10, the dot the mean
        {panel?.overallAverage == null ? '' : `; over all ${decimal(panel.overallAverage)}`}.
      </p>
    </div>
  )
}

function Whisker({
  scores,
  mean,
}: {
  scores: { seat: number; model: string; score: number }[]
  mean: number | null | undefined
}) {
  if (scores.length === 0) return <span className="note">not scored</span>
  const values = scores.map((one) => one.score)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const label = `${low === high ? low : `${low} to ${high}`}${mean == null ? '' : `, mean ${decimal(mean)}`}: ${scores.map((one) => `${shortModel(one.model)} ${one.score}`).join(', ')}`
  return (
    <Drawing className="whisker" label={label} height={30} widest={260}>
      {(width) => {
        const x = (score: number) => tenth(8 + ((score - 1) / 9) * (width - 16))
        return (
          <>
            <path className="rest" d={`M8 22H${width - 8}`} />
            <path className="range" d={`M${x(low)} 22H${x(high)}M${x(low)} 17v10M${x(high)} 17v10`} />
            {scores.map((one, place) => {
              const beside = scores.slice(0, place).filter((other) => other.score === one.score).length
              const alike = scores.filter((other) => other.score === one.score).length
              return (
                <SignAt
                  key={one.seat}
                  seat={one.seat}
                  x={x(one.score) + (beside - (alike - 1) / 2) * 10}
                  y={7}
                  size={9}
                />
              )
            })}
            {mean != null && <circle className="mean" cx={x(mean)} cy="22" r="5" />}
          </>
        )
      }}
    </Drawing>
  )
}

function Juror({ one, panel }: { one: JurorAssessment; panel: JurorSummary | undefined }) {
  const hasScores = DIMENSIONS.some((name) => one.scores[name] != null)
  return (
    <section className={`framed juror-card ${seatClass(one.seat)}`}>
      <p className="line">
        <SeatLabel seat={one.seat} model={one.model} />
        <Badge kind={KIND[one.verdict ?? ''] ?? 'stood'}>{one.verdict ?? 'NO VOTE'}</Badge>
      </p>
      {hasScores ? (
        <Bars
          label={`Scores by ${shortModel(one.model)}, of 10`}
          most={10}
          bars={DIMENSIONS.map((name) => ({
            key: name,
            seat: one.seat,
            label: name,
            value: one.scores[name] ?? 0,
            text: one.scores[name] ?? '–',
          }))}
        />
      ) : (
        <p className="hint">None of its scores could be read.</p>
      )}
      {one.verdictMismatch && (
        <p className="mismatch">
          <span aria-hidden="true">≠ </span>Its vote and the mean of its scores disagree.
        </p>
      )}
      {one.verdictSource === 'derived' && (
        <p className="hint">It stated no vote; this one follows from its scores.</p>
      )}
      <p className="note">
        {[
          one.average == null ? null : `mean ${decimal(one.average)}`,
          leniency(panel, one.seat),
          duration(one.responseTimeMs),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <Fold title="Its assessment">
        <Markdown text={one.assessmentText} lines />
      </Fold>
    </section>
  )
}

const EmptyChair = ({ one }: { one: FailedJuror }) => (
  <section className="framed juror-card empty-chair">
    <p className="line">
      <SeatLabel hollow seat={one.seat} model={one.model} />
    </p>
    <p className="hint">No assessment: it {FAILURE_WORDS[one.kind]}.</p>
  </section>
)

function leniency(panel: JurorSummary | undefined, seat: number): string | null {
  const value = panel?.leniency.find((one) => one.seat === seat)?.value
  if (value == null) return null
  return Math.abs(value) < 0.05
    ? 'as strict as the panel'
    : `${decimal(Math.abs(value))} ${value > 0 ? 'milder' : 'harsher'} than the panel`
}
