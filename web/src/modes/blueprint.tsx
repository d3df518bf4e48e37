import { Fold, Part, many, seconds, words } from '../parts'
import { Markdown } from '../Markdown'
import { Sign, Who } from '../seats'
import { every, last } from '../story'
import type { ModePart } from './part'

export const blueprint: ModePart = {
  answer(story) {
    const made = last(story, 'blueprint', 'assembly_complete')?.data
    return made ? { text: made.document, by: `${many(made.wordCount, 'word')} in ${many(made.sectionsAssembled, 'section')}` } : null
  },
  Picture({ story }) {
    const plan = last(story, 'blueprint', 'outline_complete')?.data
    const sections = new Map(every(story, 'blueprint', 'section_complete').map((event) => [event.data.sectionNumber, event.data]))
    const whole = last(story, 'blueprint', 'all_sections_complete')?.data
    const made = last(story, 'blueprint', 'assembly_complete')?.data
    const failed = new Set(whole?.failedSections.map((one) => one.sectionNumber) ?? [])
    if (!plan) return null
    return (
      <>
        <Part title="The outline" note={`${sections.size} of ${many(plan.totalSections, 'section')}`}>
          <ol className="outline">
            {plan.sections.map((one) => {
              const text = sections.get(one.number)
              return (
                <li key={one.number} className={failed.has(one.number) ? 'missing' : text ? 'filled' : 'empty'}>
                  <Fold
                    title={
                      <>
                        {one.number}. {one.title}
                      </>
                    }
                    note={
                      <>
                        {one.length} · {text ? <><Sign seat={text.seat} size={11} /> {text.model} · {many(text.wordCount, 'word')} · {seconds(text.responseTimeMs)}</> : failed.has(one.number) ? 'failed' : 'not yet written'}
                      </>
                    }
                  >
                    <p className="hint">{one.description}</p>
                    {text && <Markdown text={text.content} />}
                  </Fold>
                </li>
              )
            })}
          </ol>
          <p className="line">
            <Who model={plan.architectModel} role="architect" /> {made && <Who model={made.model} role="assembler" />}
          </p>
        </Part>
        {made && (made.todoMarkers.length > 0 || made.conflicts.length > 0) && (
          <Part title="Left open">
            <ul>
              {made.todoMarkers.map((text, place) => (
                <li key={place}>{text}</li>
              ))}
              {made.conflicts.map((text, place) => (
                <li key={`c${place}`}>Conflict: {typeof text === 'string' ? text : JSON.stringify(text)}</li>
              ))}
            </ul>
          </Part>
        )}
        {plan.terms.length > 0 && (
          <Fold title="Terms that all authors were given">
            <dl>
              {plan.terms.map((one) => (
                <div key={one.term}>
                  <dt>{words(one.term)}</dt>
                  <dd>{one.meaning}</dd>
                </div>
              ))}
            </dl>
          </Fold>
        )}
      </>
    )
  },
}
