import { endWords } from '../../api/traces'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { Rating } from '../../run/rating'
import { type Story, eventsOf } from '../../run/story'
import { Bars } from '../../ui/bars'
import { decimal, humanize, plural } from '../../ui/format'
import { SeatLabel } from '../../ui/seats'
import { Section } from '../../ui/section'
import { BurnDown } from './burn_down'
import { IssueLedger } from './issue_ledger'
import { Timeline } from './rounds'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

type Score = Events['score_complete']['data']

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
          note={end && `${plural(end.totalRounds, 'round')}, then ${endWords(end.reason)}`}
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
          title="Rating"
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
        <h4>Caveats</h4>
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
        The judge’s score could not be read.{score.scoreError && ` ${score.scoreError}`}
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
        {score.scoreInconsistent && ' · its stated score does not match its own criteria'}
      </p>
    </>
  )
}

function Scaffolds({ story }: { story: Story }) {
  const retrieval = last(story, 'rag_complete')?.data
  if (!retrieval) return null
  return (
    <Section
      title="Templates used"
      folded
      note={
        retrieval.templates.length > 0
          ? `similarity of at least ${decimal(retrieval.minSimilarity, 2)}`
          : undefined
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
            ? 'Templates could not be looked up; the general one was used.'
            : 'No template matched the question; the general one was used.'}{' '}
          <a href="#/traces">Your own templates</a>
        </p>
      )}
    </Section>
  )
}
