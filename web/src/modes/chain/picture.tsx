import { useState } from 'react'
import { startDraft } from '../../run/draft'
import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { duration, humanize, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { CopyableText } from '../../ui/seat_texts'
import { SeatLabel, seatClass } from '../../ui/seats'
import { Badge, Fold, Section } from '../../ui/section'
import { WordChange } from '../../ui/word_diff'
import { Relay, stationsOf } from './relay'
import type { Events, SkippedData, StepData } from './wire'
import './picture.css'

const { every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  if (!story.ended || story.error) return null
  const version = every(story, 'chain_step_complete').at(-1)?.data
  return version
    ? {
        text: version.content,
        by: `After step ${version.step}, ${version.mandateDisplay}`,
        head: <Relay story={story} />,
      }
    : null
}

export function Picture({ story }: PictureProps) {
  const stations = stationsOf(story)
  const stands = story.ended && !story.error
  const final = stations.findLast((one) => one.version)?.step
  const hands = stations.filter((one) => one.version || one.omission)
  return (
    <>
      {!stands && (
        <Section title="The relay" note={plural(stations.filter((one) => one.version).length, 'version')}>
          <Relay story={story} />
        </Section>
      )}
      {hands.length > 0 && (
        <Section title="Step by step">
          <ol className="hands">
            {hands.map((one) => (
              <li key={one.step} className={`mandate mandate-${one.mandate}`}>
                {one.version ? (
                  <Hand one={one.version} final={stands && one.step === final} />
                ) : (
                  one.omission && <SkippedStep one={one.omission} />
                )}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </>
  )
}

function Hand({ one, final }: { one: StepData; final: boolean }) {
  return (
    <div className={`framed card hand ${seatClass(one.step)}`}>
      <p className="line">
        <SeatLabel seat={one.step} model={one.model} role={one.mandateDisplay} />
        {final && <Badge kind="won">the answer</Badge>}
        <span className="note">
          {one.step === 1 ? (
            plural(one.wordCount, 'word')
          ) : one.unchanged ? (
            'unchanged'
          ) : (
            <WordChange before={one.previousWordCount} after={one.wordCount} />
          )}{' '}
          · {duration(one.responseTimeMs)}
        </span>
      </p>
      {one.substitutedFor && <p className="hint">Standing in for {one.substitutedFor}.</p>}
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
        <CopyableText text={one.content} />
      </Fold>
      <UseVersion text={one.content} step={one.step} />
    </div>
  )
}

function UseVersion({ text, step }: { text: string; step: number }) {
  const [notice, setNotice] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setNotice('Copied.')
    } catch {
      // Without a secure context there is not even a clipboard.
      setNotice('Your browser blocked copying. Open the text and select it.')
    }
  }
  return (
    <p className="line use-version online" role="group" aria-label={`Use version ${step}`}>
      <span className="note">Use this version:</span>
      <button type="button" className="small" onClick={() => void copy()}>
        Copy
      </button>
      <button type="button" className="small" onClick={() => startDraft({ text, mode: 'chain' })}>
        Follow up on it
      </button>
      <span className="note" role="status">
        {notice}
      </span>
    </p>
  )
}

const SkippedStep = ({ one }: { one: SkippedData }) => (
  <div className="framed card hand empty-hand">
    <p className="line">
      <SeatLabel hollow seat={one.step} model={one.model} role={one.mandateDisplay} />
      <span className="note">skipped</span>
    </p>
    <p className="hint">{humanize(one.reason)}. The text is unchanged.</p>
    {one.rejectedText && (
      <Fold title="Rejected text">
        <Markdown text={one.rejectedText} />
      </Fold>
    )}
  </div>
)
