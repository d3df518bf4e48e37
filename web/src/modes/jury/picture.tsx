import { FAILURE_WORDS } from '../../run/failures'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { Bars } from '../../ui/bars'
import { decimal, duration, percent } from '../../ui/format'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, seatClass, shortModel } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { Bench, KIND, jurorsOf } from './bench'
import { DIMENSIONS, Spreads, Web } from './scores'
import type { Events, FailedJuror, JurorAssessment, JurorSummary } from './wire'
import './picture.css'

const { last } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const verdict = last(story, 'verdict_complete')?.data
  if (!verdict) return null
  const by = verdict.model ? (
    <>
      Report by <SeatLabel model={verdict.model} role="foreman" />
    </>
  ) : (
    'Report written by moot, because the foreman gave none'
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
        <p className="hint">It stated no vote; this one is derived from its scores.</p>
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
        <CopyableText text={one.assessmentText} lines />
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
    : `${decimal(Math.abs(value))} ${value > 0 ? 'more lenient' : 'stricter'} than the panel`
}
