import './picture.css'
import { type Author, Document } from './document'
import { many, seconds } from '../../ui/format'
import { Badge, Fold, Part } from '../../ui/section'
import { Markdown } from '../../ui/markdown'
import { Sign, Who, seatClass, shortModel } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events } from './wire'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'

const { last, every } = eventsOf<Events>()

type Planned = Events['outline_complete']['data']['sections'][number]
type Written = Events['section_complete']['data']
type Failed = Events['all_sections_complete']['data']['failedSections'][number]

/** Words that a section of each length is to have. */
const TARGETS: Record<Planned['length'], readonly [number, number]> = {
  Short: [200, 500],
  Medium: [500, 1000],
  Long: [1000, 2000],
}

export function answer(story: Story): FinalAnswer | null {
  const made = last(story, 'assembly_complete')?.data
  if (!made) return null
  const authors = new Map<number, Author>(writtenIn(story).map((one) => [one.sectionNumber, one]))
  const missing = new Set(made.failedSections.map((one) => one.sectionNumber))
  const by = (
    <>
      {`${many(made.wordCount, 'word')} in ${many(made.sectionsAssembled, 'section')}`}{' '}
      {made.model ? (
        <Who model={made.model} role="assembler" />
      ) : (
        <Badge kind="stood">joined without an editor</Badge>
      )}
    </>
  )
  return {
    text: made.document,
    by,
    body: <Document text={made.document} authors={authors} missing={missing} />,
  }
}

export function Picture({ story }: PictureProps) {
  const plan = last(story, 'outline_complete')?.data
  const made = last(story, 'assembly_complete')?.data
  if (!plan) return null
  const written = new Map(writtenIn(story).map((one) => [one.sectionNumber, one]))
  const failed = new Map(
    (last(story, 'all_sections_complete')?.data.failedSections ?? []).map((one) => [one.sectionNumber, one]),
  )
  const most = Math.max(
    ...plan.sections.map((one) => Math.max(TARGETS[one.length][1], written.get(one.number)?.wordCount ?? 0)),
  )
  return (
    <Part title="The plan" note={`${written.size} of ${many(plan.totalSections, 'section')}`}>
      <div className="tree">
        <p className="tree-root" dir="auto">
          {plan.documentTitle} <Who model={plan.architectModel} role="architect" />
        </p>
        <ol>
          {plan.sections.map((one) => (
            <Branch
              key={one.number}
              planned={one}
              written={written.get(one.number)}
              failed={failed.get(one.number)}
              most={most}
              ended={story.ended}
            />
          ))}
        </ol>
      </div>
      {made && <Editing made={made} />}
      {plan.terms.length > 0 && (
        <Fold title="Terms that all authors were given" note={plan.terms.length}>
          <dl className="terms">
            {plan.terms.map((one) => (
              <div key={one.term} dir="auto">
                <dt>{one.term}</dt>
                <dd>{one.meaning}</dd>
              </div>
            ))}
          </dl>
        </Fold>
      )}
    </Part>
  )
}

const writtenIn = (story: Story): Written[] => every(story, 'section_complete').map((event) => event.data)

/** A section of the plan: empty, filled in its author's colour, or missing. */
function Branch({
  planned,
  written,
  failed,
  most,
  ended,
}: {
  planned: Planned
  written: Written | undefined
  failed: Failed | undefined
  most: number
  ended: boolean
}) {
  const [least, enough] = TARGETS[planned.length]
  const share = (count: number) => `${(count / most) * 100}%`
  return (
    <li className={failed ? 'missing' : written ? `filled ${seatClass(written.seat)}` : 'empty'}>
      <Fold
        title={
          <>
            <span dir="auto">
              {planned.number}. {planned.title}
            </span>{' '}
            <Badge kind="stood">{planned.length.toLowerCase()}</Badge>
          </>
        }
        note={
          failed ? (
            <>
              <Sign seat={failed.seat} size={11} /> not written
            </>
          ) : written ? (
            <>
              <Sign seat={written.seat} size={11} /> {shortModel(written.model)} ·{' '}
              {many(written.wordCount, 'word')} · {seconds(written.responseTimeMs)}
              {written.reassigned && ' · taken over'}
            </>
          ) : ended ? (
            'never written'
          ) : (
            `waits for ${shortModel(planned.assignedModel)}`
          )
        }
      >
        {planned.description && (
          <p className="hint" dir="auto">
            {planned.description}
          </p>
        )}
        {failed && (
          <p className="cause" dir="auto">
            {failed.reason}
          </p>
        )}
        {written && written.lengthStatus !== 'ok' && (
          <p className="hint">
            {written.lengthStatus === 'under' ? 'Much shorter than planned.' : 'Much longer than planned.'}
          </p>
        )}
        {written && written.keyTopicsMissing.length > 0 && (
          <p className="hint" dir="auto">
            Perhaps not covered: {written.keyTopicsMissing.join(', ')}
          </p>
        )}
        {written && <Markdown text={written.content} />}
      </Fold>
      <svg
        className="fill"
        width="100%"
        height="7"
        role="img"
        aria-label={
          written
            ? `${many(written.wordCount, 'word')}, planned were ${least} to ${enough}`
            : `planned: ${least} to ${enough} words`
        }
      >
        <rect className="fill-ground" width={share(enough)} height="7" />
        {written && <rect className="fill-ink" width={share(written.wordCount)} height="7" />}
        <rect className="fill-least" x={share(least)} width="2" height="7" />
      </svg>
    </li>
  )
}

function Editing({ made }: { made: Events['assembly_complete']['data'] }) {
  const done = [
    made.acceptedCuts > 0 && `${many(made.acceptedCuts, 'repetition')} cut`,
    made.refusedCuts > 0 && `${many(made.refusedCuts, 'cut')} refused, as the passages were not alike`,
    made.crossReferencesAdded > 0 && `${many(made.crossReferencesAdded, 'reference')} made into links`,
    made.danglingReferences.length > 0 &&
      `references to sections that do not exist: ${made.danglingReferences.join(', ')}`,
    made.conflicts.length > 0 && many(made.conflicts.length, 'conflict'),
    made.todoMarkers.length > 0 && `${many(made.todoMarkers.length, 'point')} left open`,
  ].filter((one) => one !== false)
  return (
    <p className="hint">
      {done.length > 0
        ? `In the assembly: ${done.join('; ')}.`
        : 'Nothing was cut and nothing left open in the assembly.'}
    </p>
  )
}
