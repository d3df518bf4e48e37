import { Badge, Part, Table, Texts, figure, many, seconds } from '../parts'
import { Sign, Who } from '../seats'
import { every, last } from '../story'
import type { ModePart } from './part'

const SEVERITIES = ['CRITICAL', 'MAJOR', 'MINOR', 'SUGGESTION'] as const

export const peerReview: ModePart = {
  answer(story) {
    const done = last(story, 'peer_review', 'consolidation_complete')?.data
    return done ? { text: done.consolidatedReport, by: `${figure(done.weightedOverallAvg)} of 5 from ${many(done.reviewerCount, 'reviewer')}, agreement ${String(done.overallAgreement ?? 'unknown').toLowerCase()}` } : null
  },
  Picture({ story }) {
    const reviews = every(story, 'peer_review', 'reviewer_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    const done = last(story, 'peer_review', 'consolidation_complete')?.data
    const criteria = [...new Set(reviews.flatMap((one) => one.scores.map((score) => score.criterion)))]
    const average = new Map(done?.consensusScores.map((one) => [one.criterion, one]) ?? [])
    return (
      <>
        {reviews.length > 0 && (
          <Part title="Scores" note="1 to 5">
            <Table
              label="Scores per criterion and reviewer"
              head={['Criterion', ...reviews.map((one) => <Who key={one.seat} seat={one.seat} model={one.model} />), 'Mean', 'Spread', 'Agreement']}
              rows={criteria.map((name) => [
                name,
                ...reviews.map((one) => <Heat key={one.seat} score={one.scores.find((score) => score.criterion === name)?.score} />),
                figure(average.get(name)?.average),
                figure(average.get(name)?.stddev, 2),
                average.get(name)?.agreement ?? '–',
              ])}
            />
          </Part>
        )}
        {done && (
          <Part title="What they found" note={many(done.issues.length, 'issue')}>
            <div className="board">
              {SEVERITIES.filter((severity) => done.issues.some((one) => one.severity === severity)).map((severity) => (
                <div key={severity} className="column">
                  <h4>
                    <Badge kind={severity.toLowerCase()}>{severity}</Badge>
                  </h4>
                  {done.issues.filter((one) => one.severity === severity).map((one) => (
                    <div key={one.number} className="card framed">
                      <p>
                        <strong>{one.title}</strong>{' '}
                        {one.reviewers.map((name) => (
                          <span key={name}>
                            <Sign seat={Number(name.replace(/\D/g, '')) || null} size={11} />
                            <span className="unseen">{name}</span>
                          </span>
                        ))}
                      </p>
                      <p className="hint">{one.description}</p>
                      {one.action && <p className="hint">→ {one.action} {one.effort && `(${one.effort.toLowerCase()} effort)`}</p>}
                      {one.severityDisputed && <p className="note">severity disputed</p>}
                    </div>
                  ))}
                </div>
              ))}
            </div>
          </Part>
        )}
        {reviews.length > 0 && (
          <Part title="Each review">
            <Texts entries={reviews.map((one) => ({ seat: one.seat, model: one.model, text: one.reviewText, note: `${figure(one.overallScore)} of 5 · ${many(one.findings.length, 'finding')} · ${seconds(one.responseTimeMs)}` }))} />
          </Part>
        )}
      </>
    )
  },
}

const Heat = ({ score }: { score: number | null | undefined }) =>
  score == null ? <span className="note">–</span> : <span className={`heat heat-${Math.round(score)}`}>{figure(score)}</span>
