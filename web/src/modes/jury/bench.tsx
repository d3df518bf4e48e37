import { failuresAt } from '../../run/failures'
import { type Story, eventsOf } from '../../run/story'
import { Sign, shortModel } from '../../ui/seats'
import type { Events, JuryVerdict } from './wire'

const { last, every } = eventsOf<Events>()

const VERDICTS = ['APPROVE', 'REVISE', 'REJECT'] as const

export const KIND: Record<string, string> = { APPROVE: 'good', REVISE: 'fair', REJECT: 'bad' }

const SOURCES: Record<string, string> = {
  majority: 'by majority',
  tie_rule: 'by the tie rule',
  foreman: 'by the foreman, because no vote could be counted',
  default: 'by default, because no vote could be counted',
}

export const jurorsOf = (story: Story) =>
  every(story, 'juror_complete')
    .map((event) => event.data)
    .sort((a, b) => a.seat - b.seat)

/** The verdict, and who sits on which side of it. */
export function Bench({ story, verdict }: { story: Story; verdict?: JuryVerdict }) {
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
              `; the foreman would have said ${verdict.foremanVerdict.toLowerCase()}`}
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
          <Side name={story.ended ? 'no assessment' : 'still out'} jurors={waiting} hollow />
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
