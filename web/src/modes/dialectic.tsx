import { Badge, Bars, Fold, Part, Stack, Table, Texts, WordDiff, figure, many, seconds, words } from '../parts'
import { every, last } from '../story'
import type { ModePart } from './part'

const MARKS: Record<string, string> = { resolved: '✓ resolved', partial: '± partly', unresolved: '✗ open', raised: '● raised' }
const KIND: Record<string, string> = { critical: 'critical', major: 'fair', minor: 'merged' }

export const dialectic: ModePart = {
  answer(story) {
    const done = last(story, 'dialectic', 'synthesis_complete')?.data
    return done ? { text: done.answer, by: `Settled by ${done.model}${done.confidence == null ? '' : `, confidence ${figure(done.confidence)} of 10`}` } : null
  },
  Picture({ story }) {
    const proposals = every(story, 'dialectic', 'proposer_complete').map((event) => event.data)
    const critiques = new Map(every(story, 'dialectic', 'skeptic_complete').map((event) => [event.data.round, event.data]))
    const rounds = every(story, 'dialectic', 'round_complete').map((event) => event.data)
    const ended = last(story, 'dialectic', 'synthesis_start')?.data
    const most = Math.max(1, ...rounds.map((round) => round.openIssues.critical + round.openIssues.major + round.openIssues.minor))
    const scored = last(story, 'dialectic', 'score_complete')?.data
    const found = last(story, 'dialectic', 'rag_complete')?.data
    return (
      <>
        {rounds.length > 0 && (
          <Part title="What was still open after each round" note={ended?.earlyStopped ? 'settled early' : undefined}>
            {rounds.map((round) => (
              <div key={round.round} className="burn">
                <p className="line">
                  <strong>Round {round.round}</strong> <span className="note">the skeptic gives {figure(round.score)} of 10</span>
                </p>
                <Stack
                  of={most}
                  none="nothing open"
                  label={`Open after round ${round.round}`}
                  parts={(['critical', 'major', 'minor'] as const).map((name) => ({ name, count: round.openIssues[name], kind: name === 'major' ? 'medium' : name === 'minor' ? 'low' : name }))}
                />
              </div>
            ))}
          </Part>
        )}
        {ended && ended.ledger.length > 0 && (
          <Part title="The issues">
            <Table
              label="Issues by round"
              head={['Weight', 'Issue', ...rounds.map((round) => `Round ${round.round}`), 'In the end']}
              rows={ended.ledger.map((issue) => [
                <Badge key="severity" kind={KIND[issue.severity] ?? 'stood'}>{issue.severity}</Badge>,
                `${issue.id} ${issue.title}`,
                ...rounds.map((round) => {
                  const status = issue.history.find((one) => one.round === round.round)?.status
                  return status ? (MARKS[status] ?? words(status)) : ''
                }),
                MARKS[issue.status] ?? words(issue.status),
              ])}
            />
          </Part>
        )}
        {proposals.map((proposal, place) => {
          const critique = critiques.get(proposal.round)
          const before = proposals[place - 1]
          return (
            <Part key={proposal.round} title={`Round ${proposal.round}`}>
              <div className="lanes">
                <Texts entries={[{ seat: 2, model: proposal.model, role: 'proposer', text: proposal.content, note: seconds(proposal.responseTimeMs ?? 0) }]} />
                {critique && <Texts entries={[{ seat: 1, model: critique.model, role: 'skeptic', text: critique.content, note: `${many(critique.issues.length, 'new issue')} · ${seconds(critique.responseTimeMs ?? 0)}` }]} />}
              </div>
              {before && (
                <Fold title="What the proposer changed, word by word">
                  <WordDiff before={before.answer} after={proposal.answer} />
                </Fold>
              )}
            </Part>
          )
        })}
        {scored && scored.autoScore != null && (
          <Part title="The judge's score" note={`${figure(scored.autoScore)} of 10 by ${scored.judgeModel}`}>
            <Bars label="Criteria, of 10" most={10} bars={Object.entries(scored.criteria).map(([name, value]) => ({ key: name, label: words(name), value: (value as number | null) ?? 0, shown: figure(value as number | null) }))} />
            {scored.justification && <p className="reason">{scored.justification}</p>}
          </Part>
        )}
        {found && found.templates.length > 0 && (
          <Part title="Templates it began from">
            <Bars label="Similarity" most={1} bars={found.templates.map((one, place) => ({ key: String(place), label: String(one.name), value: one.similarity, shown: figure(one.similarity, 2) }))} />
          </Part>
        )}
      </>
    )
  },
}
