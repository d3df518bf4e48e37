import { plural } from '../../ui/format'
import { SeatLabel, Sign, seatClass } from '../../ui/seats'
import type { Events } from './wire'

type SeatIdeas = Events['ideation_complete']['data']
type Clustering = Events['clustering_complete']['data']

export type Idea = SeatIdeas['ideas'][number] & { seats: number[] }

export function ideasOf(ideation: SeatIdeas[], merged: Clustering['merged']): Map<string, Idea> {
  const seats = new Map(merged.map((one) => [one.id, one.sourceSeats]))
  return new Map(
    ideation.flatMap((one) =>
      one.ideas.map((idea) => [idea.id, { ...idea, seats: seats.get(idea.id) ?? [one.seat] }] as const),
    ),
  )
}

/** The cards of each seat, under the angle it was given. */
export function ByModel({ ideation }: { ideation: SeatIdeas[] }) {
  return (
    <div className="idea-columns">
      {ideation.map((one) => (
        <section key={one.seat} className={seatClass(one.seat)}>
          <h4>
            <SeatLabel seat={one.seat} model={one.model} role="" hollow={one.failed} />
          </h4>
          <p className="hint">
            {one.failed ? 'had no ideas' : `${plural(one.ideaCount, 'idea')} · angle: ${one.lens}`}
          </p>
          <ul className="idea-cards">
            {one.ideas.map((idea) => (
              <IdeaCard key={idea.id} idea={{ ...idea, seats: [one.seat] }} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

export const IdeaCard = ({ idea }: { idea: Idea }) => (
  <li className="idea-card">
    <details>
      <summary>
        <span className="idea-signs">
          {idea.seats.map((seat) => (
            <Sign key={seat} seat={seat} size={11} />
          ))}
        </span>
        <span dir="auto">{idea.title}</span>
      </summary>
      <p dir="auto">{idea.description}</p>
    </details>
    {idea.seats.length > 1 && <p className="note">proposed by {idea.seats.length} models</p>}
  </li>
)
