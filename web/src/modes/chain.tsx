import { Fold, Part, WordChange, WordDiff, many, percent, seconds } from '../parts'
import { Markdown } from '../Markdown'
import { Who, seatClass, signPath } from '../seats'
import { every } from '../story'
import type { ModePart } from './part'

export const chain: ModePart = {
  answer(story) {
    if (!story.ended || story.error) return null
    const done = every(story, 'chain', 'chain_step_complete').at(-1)?.data
    return done ? { text: done.content, by: `The version of step ${done.step}, ${done.mandateDisplay}` } : null
  },
  Picture({ story }) {
    const opening = story.opening as unknown as { steps?: { step: number; model: string; mandateDisplay: string }[] }
    const steps = opening.steps ?? []
    const done = every(story, 'chain', 'chain_step_complete').map((event) => event.data)
    const skipped = new Map(every(story, 'chain', 'chain_step_skipped').map((event) => [event.data.step, event.data]))
    const written = new Map(done.map((one) => [one.step, one]))
    const width = 640
    const x = (place: number) => (steps.length > 1 ? 40 + (place / (steps.length - 1)) * (width - 80) : width / 2)
    const most = Math.max(1, ...done.map((one) => one.wordCount))
    return (
      <Part title="The relay" note={many(done.length, 'hand')}>
        <figure className="relay">
          <svg viewBox={`0 0 ${width} 110`} role="img" aria-label={done.map((one) => `step ${one.step}, ${one.mandateDisplay}: ${one.wordCount} words`).join('; ')}>
            <path className="track" d={`M${x(0)} 60H${x(steps.length - 1)}`} />
            <polyline className="spark" points={steps.flatMap((one, place) => (written.has(one.step) ? [`${x(place)},${44 - (written.get(one.step)!.wordCount / most) * 36}`] : [])).join(' ')} />
            {steps.map((one, place) => (
              <g key={one.step} className={seatClass(one.step)} transform={`translate(${x(place)} 60)`}>
                <path className={written.has(one.step) ? 'sign-shape' : 'sign-hollow'} d={signPath(one.step)} transform="translate(-8 -8)" fillRule="evenodd" />
                <text y="28" textAnchor={place === 0 ? 'start' : place === steps.length - 1 ? 'end' : 'middle'} x={place === 0 ? -30 : place === steps.length - 1 ? 30 : 0}>
                  {one.mandateDisplay}
                </text>
                <text y="44" className="faint" textAnchor={place === 0 ? 'start' : place === steps.length - 1 ? 'end' : 'middle'} x={place === 0 ? -30 : place === steps.length - 1 ? 30 : 0}>
                  {written.has(one.step) ? many(written.get(one.step)!.wordCount, 'word') : skipped.has(one.step) ? 'skipped' : ''}
                </text>
              </g>
            ))}
          </svg>
          <figcaption>The line above the stations is the length of the text.</figcaption>
        </figure>
        {steps.map((step) => {
          const one = written.get(step.step)
          const gone = skipped.get(step.step)
          if (!one) return gone ? <p key={step.step} className="callout">Step {step.step}, {step.mandateDisplay}, was skipped: {String(gone.reason)}</p> : null
          const earlier = done.filter((other) => other.step < one.step).at(-1)
          return (
            <div key={step.step} className={`framed card ${seatClass(one.step)}`}>
              <p className="line">
                <Who seat={one.step} model={one.model} role={one.mandateDisplay} />
                <span className="note">
                  {earlier ? <WordChange before={one.previousWordCount} after={one.wordCount} /> : many(one.wordCount, 'word')}
                  {earlier && `, ${percent(one.similarity)} kept`} · {seconds(one.responseTimeMs)}
                </span>
              </p>
              {one.editorNote && <p className="reason">{one.editorNote}</p>}
              {earlier && !one.unchanged && (
                <Fold title="What this hand changed, word by word" note={`+${one.addedWords} −${one.removedWords}`}>
                  <WordDiff before={earlier.content} after={one.content} />
                </Fold>
              )}
              <Fold title="The text after this step">
                <Markdown text={one.content} />
              </Fold>
            </div>
          )
        })}
      </Part>
    )
  },
}
