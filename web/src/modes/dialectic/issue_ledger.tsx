import { humanize } from '../../ui/format'
import { Badge } from '../../ui/section'
import type { Events } from './wire'

type Round = Events['round_complete']['data']
type Ledger = Events['synthesis_start']['data']['ledger']

export const KIND: Record<string, string> = { critical: 'critical', major: 'fair', minor: 'merged' }

const STATUS: Record<string, [sign: string, word: string]> = {
  raised: ['●', 'raised'],
  resolved: ['✓', 'resolved'],
  partial: ['±', 'partly'],
  unresolved: ['✗', 'open'],
}

export const IssueStatus = ({ status }: { status: string }) => {
  const [sign, word] = STATUS[status] ?? ['', humanize(status)]
  return (
    <span className={`mark-${status}`}>
      {sign} {word}
    </span>
  )
}

export const IssueLedger = ({ ledger, rounds }: { ledger: Ledger; rounds: Round[] }) => (
  <div className="scroll" tabIndex={0} role="group" aria-label="Issues by round">
    <table className="figures ledger">
      <thead>
        <tr>
          <th scope="col">Issue</th>
          {rounds.map((round) => (
            <th key={round.round} scope="col">{`Round ${round.round}`}</th>
          ))}
          <th scope="col">Outcome</th>
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
