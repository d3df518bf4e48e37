import { useState } from 'react'
import { beginQuestion } from '../../run/draft'
import { Markdown } from '../../ui/markdown'
import { many, seconds, words } from '../../ui/format'
import { Badge, Fold, Part } from '../../ui/section'
import { WordChange } from '../../ui/word_diff'
import { Who, seatClass } from '../../ui/seats'
import { type Story, eventsOf } from '../../run/story'
import type { Events, SkippedData, StepData } from './wire'
import './picture.css'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { Relay, stationsOf } from './relay'

const { every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  if (!story.ended || story.error) return null
  const done = every(story, 'chain_step_complete').at(-1)?.data
  return done
    ? {
        text: done.content,
        by: `The version of step ${done.step}, ${done.mandateDisplay}`,
        head: <Relay story={story} />,
      }
    : null
}

export function Picture({ story }: PictureProps) {
  const stations = stationsOf(story)
  const stands = story.ended && !story.error
  const final = stations.findLast((one) => one.written)?.step
  const hands = stations.filter((one) => one.written || one.skipped)
  return (
    <>
      {!stands && (
        <Part title="The relay" note={many(stations.filter((one) => one.written).length, 'version')}>
          <Relay story={story} />
        </Part>
      )}
      {hands.length > 0 && (
        <Part title="Each hand">
          <ol className="hands">
            {hands.map((one) => (
              <li key={one.step} className={`mandate mandate-${one.mandate}`}>
                {one.written ? (
                  <Hand one={one.written} final={stands && one.step === final} />
                ) : (
                  one.skipped && <Skipped one={one.skipped} />
                )}
              </li>
            ))}
          </ol>
        </Part>
      )}
    </>
  )
}

function Hand({ one, final }: { one: StepData; final: boolean }) {
  return (
    <div className={`framed card hand ${seatClass(one.step)}`}>
      <p className="line">
        <Who seat={one.step} model={one.model} role={one.mandateDisplay} />
        {final && <Badge kind="won">the answer</Badge>}
        <span className="note">
          {one.step === 1 ? (
            many(one.wordCount, 'word')
          ) : one.unchanged ? (
            'left as it was'
          ) : (
            <WordChange before={one.previousWordCount} after={one.wordCount} />
          )}{' '}
          · {seconds(one.responseTimeMs)}
        </span>
      </p>
      {one.substitutedFor && <p className="hint">It stood in for {one.substitutedFor}.</p>}
      {one.customMandate && one.customMandate !== one.mandateDisplay && (
        <p className="hint" dir="auto">
          {one.customMandate}
        </p>
      )}
      {one.editorNote && (
        <p className="margin-note" dir="auto">
          {one.editorNote}
        </p>
      )}
      <Fold title="The text after this step">
        <Markdown text={one.content} />
      </Fold>
      <UseVersion text={one.content} step={one.step} />
    </div>
  )
}

function UseVersion({ text, step }: { text: string; step: number }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied.')
    } catch {
      // Without a secure context there is not even a clipboard.
      setSaid('The browser does not allow it: open the text and mark it.')
    }
  }
  return (
    <p className="line use-version online" role="group" aria-label={`Use version ${step}`}>
      <span className="note">Use this version:</span>
      <button type="button" className="small" onClick={() => void copy()}>
        Copy
      </button>
      <button type="button" className="small" onClick={() => beginQuestion(text, 'chain')}>
        Ask on from it
      </button>
      <span className="note" role="status">
        {said}
      </span>
    </p>
  )
}

const Skipped = ({ one }: { one: SkippedData }) => (
  <div className="framed card hand empty-hand">
    <p className="line">
      <Who hollow seat={one.step} model={one.model} role={one.mandateDisplay} />
      <span className="note">skipped</span>
    </p>
    <p className="hint">{words(one.reason)}. The text stayed as it was.</p>
    {one.rejectedText && (
      <Fold title="What was refused">
        <Markdown text={one.rejectedText} />
      </Fold>
    )}
  </div>
)
