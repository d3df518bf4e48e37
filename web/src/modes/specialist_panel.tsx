import { Bars, Part, Table, Texts, figure, percent, seconds, words } from '../parts'
import { Sign, Who } from '../seats'
import { every, last } from '../story'
import type { ModePart } from './part'

export const specialistPanel: ModePart = {
  answer(story) {
    const made = last(story, 'specialist_panel', 'synthesis_complete')?.data
    return made ? { text: made.integratedAssessment, by: `${words(String(made.overallAssessment ?? 'assessed'))}, panel score ${figure(made.panelScore)} of 5` } : null
  },
  Picture({ story }) {
    const experts = every(story, 'specialist_panel', 'specialist_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    const reviews = every(story, 'specialist_panel', 'cross_review_complete').map((event) => event.data)
    const crossed = last(story, 'specialist_panel', 'all_cross_reviews_complete')?.data
    const made = last(story, 'specialist_panel', 'synthesis_complete')?.data
    const found = new Map<string, string>(experts.flatMap((one) => one.keyFindings.map((text, place) => [`S${one.seat}.${place + 1}`, text] as const)))
    const reaction = (seat: number, id: string) => reviews.find((one) => one.seat === seat)?.reactions.find((one) => one.findingId === id)?.reaction
    return (
      <>
        {crossed && crossed.ledger.length > 0 && (
          <Part title="Who stands behind what" note={`agreement ${percent(crossed.agreementRate)}`}>
            <Table
              label="Findings and the reactions of each seat"
              head={['Finding', ...experts.map((one) => <Who key={one.seat} seat={one.seat} model={one.model} role={one.roleTitle} />), 'Standing']}
              rows={crossed.ledger.map((entry) => [
                `${entry.findingId} ${found.get(entry.findingId) ?? ''}`,
                ...experts.map((one) => {
                  if (entry.findingId.startsWith(`S${one.seat}.`)) return <span key={one.seat}><Sign seat={one.seat} /> its own</span>
                  const said = reaction(one.seat, entry.findingId)
                  return said ? <span key={one.seat} className={`react react-${said.toLowerCase()}`}>{said.toLowerCase()}</span> : <span key={one.seat} className="note">silent</span>
                }),
                words(entry.status),
              ])}
            />
          </Part>
        )}
        {made && made.riskMatrix.length > 0 && (
          <Part title="Risks">
            <Table label="Risk matrix" head={['Domain', 'Risk', 'Concern', 'What to do', 'From']} rows={made.riskMatrix.map((risk) => [risk.domain, risk.riskLevel, risk.keyConcern, risk.recommendedAction, risk.sourceSpecialists])} />
          </Part>
        )}
        {experts.length > 0 && (
          <Part title="Each expert">
            <Texts
              entries={experts.map((one) => ({
                seat: one.seat,
                model: one.model,
                role: one.roleTitle,
                text: one.report,
                note: `${figure(one.averageScore)} of 5 · ${seconds(one.responseTimeMs)}`,
                more: <Bars label="Criteria, of 5" most={5} bars={one.criteriaScores.map((score) => ({ key: score.criterion, seat: one.seat, label: score.criterion, value: score.score ?? 0, shown: figure(score.score) }))} />,
              }))}
            />
          </Part>
        )}
      </>
    )
  },
}
