import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, plural } from '../../ui/format'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, Sign, seatClass, shortModel } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { type Author, Document } from './document'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

type PlannedSection = Events['outline_complete']['data']['sections'][number]
type SectionText = Events['section_complete']['data']
type FailedSection = Events['all_sections_complete']['data']['failedSections'][number]

/** Words that a section of each length is to have. */
const TARGETS: Record<PlannedSection['length'], readonly [number, number]> = {
  Short: [200, 500],
  Medium: [500, 1000],
  Long: [1000, 2000],
}

export function answer(story: Story): FinalAnswer | null {
  const assembly = last(story, 'assembly_complete')?.data
  if (!assembly) return null
  const authors = new Map<number, Author>(textsIn(story).map((one) => [one.sectionNumber, one]))
  const missing = new Set(assembly.failedSections.map((one) => one.sectionNumber))
  const by = (
    <>
      {`${plural(assembly.wordCount, 'word')} in ${plural(assembly.sectionsAssembled, 'section')}`}{' '}
      {assembly.model ? (
        <SeatLabel model={assembly.model} role="assembler" />
      ) : (
        <Badge kind="stood">put together without an editor</Badge>
      )}
    </>
  )
  return {
    text: assembly.document,
    by,
    body: <Document text={assembly.document} authors={authors} missing={missing} />,
  }
}

export function Picture({ story }: PictureProps) {
  const plan = last(story, 'outline_complete')?.data
  const assembly = last(story, 'assembly_complete')?.data
  if (!plan) return null
  const drafts = new Map(textsIn(story).map((one) => [one.sectionNumber, one]))
  const failures = new Map(
    (last(story, 'all_sections_complete')?.data.failedSections ?? []).map((one) => [one.sectionNumber, one]),
  )
  const most = Math.max(
    ...plan.sections.map((one) => Math.max(TARGETS[one.length][1], drafts.get(one.number)?.wordCount ?? 0)),
  )
  return (
    <Section title="The plan" note={`${drafts.size} of ${plural(plan.totalSections, 'section')}`}>
      <div className="tree">
        <p className="tree-root" dir="auto">
          {plan.documentTitle} <SeatLabel model={plan.architectModel} role="architect" />
        </p>
        <ol>
          {plan.sections.map((one) => (
            <Branch
              key={one.number}
              section={one}
              draft={drafts.get(one.number)}
              failure={failures.get(one.number)}
              most={most}
              ended={story.ended}
            />
          ))}
        </ol>
      </div>
      {assembly && <AssemblyNotes assembly={assembly} />}
      {plan.terms.length > 0 && (
        <Fold title="Shared terms" note={plan.terms.length}>
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
    </Section>
  )
}

const textsIn = (story: Story): SectionText[] => every(story, 'section_complete').map((event) => event.data)

/** A section of the plan: empty, filled in its author's colour, or missing. */
function Branch({
  section,
  draft,
  failure,
  most,
  ended,
}: {
  section: PlannedSection
  draft: SectionText | undefined
  failure: FailedSection | undefined
  most: number
  ended: boolean
}) {
  const [least, enough] = TARGETS[section.length]
  const share = (count: number) => `${(count / most) * 100}%`
  return (
    <li className={failure ? 'missing' : draft ? `filled ${seatClass(draft.seat)}` : 'empty'}>
      <Fold
        title={
          <>
            <span dir="auto">
              {section.number}. {section.title}
            </span>{' '}
            <Badge kind="stood">{section.length.toLowerCase()}</Badge>
          </>
        }
        note={
          failure ? (
            <>
              <Sign seat={failure.seat} size={11} /> not written
            </>
          ) : draft ? (
            <>
              <Sign seat={draft.seat} size={11} /> {shortModel(draft.model)} ·{' '}
              {plural(draft.wordCount, 'word')} · {duration(draft.responseTimeMs)}
              {draft.reassigned && ' · by a substitute'}
            </>
          ) : ended ? (
            'not written'
          ) : (
            `waiting for ${shortModel(section.assignedModel)}`
          )
        }
      >
        {section.description && (
          <p className="hint" dir="auto">
            {section.description}
          </p>
        )}
        {failure && (
          <p className="cause" dir="auto">
            {failure.reason}
          </p>
        )}
        {draft && draft.lengthStatus !== 'ok' && (
          <p className="hint">
            {draft.lengthStatus === 'under' ? 'Much shorter than planned.' : 'Much longer than planned.'}
          </p>
        )}
        {draft && draft.keyTopicsMissing.length > 0 && (
          <p className="hint" dir="auto">
            Possibly missing: {draft.keyTopicsMissing.join(', ')}
          </p>
        )}
        {draft && <CopyableText text={draft.content} />}
      </Fold>
      <svg
        className="fill"
        width="100%"
        height="7"
        role="img"
        aria-label={
          draft
            ? `${plural(draft.wordCount, 'word')} of ${least} to ${enough} planned`
            : `planned: ${least} to ${enough} words`
        }
      >
        <rect className="fill-ground" width={share(enough)} height="7" />
        {draft && <rect className="fill-ink" width={share(draft.wordCount)} height="7" />}
        <rect className="fill-least" x={share(least)} width="2" height="7" />
      </svg>
    </li>
  )
}

function AssemblyNotes({ assembly }: { assembly: Events['assembly_complete']['data'] }) {
  const notes = [
    assembly.acceptedCuts > 0 && `${plural(assembly.acceptedCuts, 'repetition')} cut`,
    assembly.refusedCuts > 0 && `${plural(assembly.refusedCuts, 'cut')} rejected because the passages differ`,
    assembly.crossReferencesAdded > 0 && `${plural(assembly.crossReferencesAdded, 'reference')} linked`,
    assembly.danglingReferences.length > 0 &&
      `references to sections that do not exist: ${assembly.danglingReferences.join(', ')}`,
    assembly.conflicts.length > 0 && plural(assembly.conflicts.length, 'conflict'),
    assembly.todoMarkers.length > 0 && `${plural(assembly.todoMarkers.length, 'point')} left open`,
  ].filter((one) => one !== false)
  return (
    <p className="hint">
      {notes.length > 0
        ? `Assembly: ${notes.join('; ')}.`
        : 'The assembly left nothing out and nothing open.'}
    </p>
  )
}
