import { decimal, percent, plural } from '../../ui/format'
import { Section } from '../../ui/section'
import type { Events } from './wire'

type Consolidation = Events['consolidation_complete']['data']

const alphaWords = (alpha: number) =>
  alpha >= 0.8
    ? 'they agree on what is strong and what is weak'
    : alpha >= 0.4
      ? 'they partly agree on what is strong and what is weak'
      : alpha >= 0
        ? 'they hardly agree on what is strong and what is weak'
        : 'what one finds strong, another finds weak'

export function Agreement({ consolidation }: { consolidation: Consolidation }) {
  const agreement = consolidation.interReviewerAgreement
  const consensus = consolidation.consensusFindingCount
  const all = consensus + consolidation.uniqueFindingCount
  return (
    <Section
      title="Agreement between reviewers"
      note={
        consolidation.overallAgreement
          ? `${consolidation.overallAgreement.toLowerCase()} agreement overall`
          : undefined
      }
    >
      <dl className="measures">
        <Measure
          name="Found by several reviewers"
          value={agreement.findingsOverlapRate}
          shown={
            agreement.findingsOverlapRate === null ? 'no issues' : `${consensus} of ${plural(all, 'issue')}`
          }
        />
        <Measure
          name="Same severity"
          value={agreement.severityAgreementRate}
          shown={
            agreement.severityAgreementRate === null
              ? 'nothing in common'
              : `${percent(agreement.severityAgreementRate)} of those`
          }
        />
        <Measure
          name="Closeness of scores"
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
              {one.positionB && <p>Other side: {one.positionB}</p>}
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
