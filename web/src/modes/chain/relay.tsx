// The relay of a chain: a station for every hand, and between two the share of the text that was kept.

import { useState } from 'react'
import { type Story, eventsOf } from '../../run/story'
import { Drawing } from '../../ui/charts'
import { duration, percent, plural } from '../../ui/format'
import { Sign, shortModel, tenth } from '../../ui/seats'
import { WordChange, WordDiff } from '../../ui/word_diff'
import type { Events, SkippedData, StepData } from './wire'

const { every } = eventsOf<Events>()

export interface Station {
  step: number
  model: string
  mandate: string
  mandateDisplay: string
  hasStarted: boolean
  version: StepData | undefined
  omission: SkippedData | undefined
}

export function stationsOf(story: Story): Station[] {
  const opening = story.opening as unknown as Events['chain_start'] | null
  const starts = new Set(every(story, 'chain_step_start').map((event) => event.data.step))
  const versions = new Map(every(story, 'chain_step_complete').map((event) => [event.data.step, event.data]))
  const omissions = new Map(every(story, 'chain_step_skipped').map((event) => [event.data.step, event.data]))
  return (opening?.steps ?? []).map((one) => ({
    ...one,
    hasStarted: starts.has(one.step),
    version: versions.get(one.step),
    omission: omissions.get(one.step),
  }))
}

const versionName = (one: Station) => `${one.step} ${one.mandateDisplay}`

export function Relay({ story }: { story: Story }) {
  const [pair, setPair] = useState<[before: number, after: number] | null>(null)
  const stations = stationsOf(story)
  const versions = stations.filter((one) => one.version)
  const before = (step: number) => versions.findLast((one) => one.step < step)?.step
  return (
    <div className="relay">
      {versions.length > 1 && <Lengths stations={stations} />}
      <ol className={`stations stations-${stations.length}`} aria-label="Versions of the text">
        {stations.map((one, place) => (
          <li key={one.step} className={`mandate mandate-${one.mandate}`}>
            <span className="track">
              <Sign seat={one.step} size={20} hollow={!one.version} />
              {place < stations.length - 1 && <Leg next={stations[place + 1]!} />}
            </span>
            <span className="station">
              <strong>{one.mandateDisplay}</strong>
              <span className="note" title={one.model}>
                {shortModel(one.version?.model ?? one.model)}
              </span>
              <span className="note">
                <State one={one} ended={story.ended} />
              </span>
              {one.version && before(one.step) !== undefined && (
                <button
                  type="button"
                  className="as-link small-link"
                  aria-label={`What changed in step ${one.step}`}
                  onClick={() => setPair([before(one.step)!, one.step])}
                >
                  what changed
                </button>
              )}
            </span>
          </li>
        ))}
      </ol>
      {versions.length > 1 && (
        <p className="hint">Between two steps: grey was kept, green was added, thin red was removed.</p>
      )}
      {pair && <Compare versions={versions} pair={pair} choose={setPair} />}
    </div>
  )
}

function State({ one: { version, omission, hasStarted }, ended }: { one: Station; ended: boolean }) {
  if (omission) return `skipped: ${omission.reason.replace(/^./, (first) => first.toLowerCase())}`
  if (!version) return ended ? 'not reached' : hasStarted ? 'working' : ''
  return (
    <>
      <span>
        {version.previousWordCount === 0 ? (
          plural(version.wordCount, 'word')
        ) : version.unchanged ? (
          'unchanged'
        ) : (
          <WordChange before={version.previousWordCount} after={version.wordCount} />
        )}
      </span>{' '}
      · <span>{duration(version.responseTimeMs)}</span>
    </>
  )
}

/** The way to the next station: how much of the text was kept, added and taken out on it. */
function Leg({ next }: { next: Station }) {
  const one = next.version
  const whole = one ? one.wordCount + one.removedWords : 0
  if (!one || one.previousWordCount === 0 || whole === 0) return <span className="leg leg-empty" />
  const keptShare = Math.max(0, one.wordCount - one.addedWords) / whole
  const [added, removed] = [one.addedWords / whole, one.removedWords / whole]
  const description = `Kept ${percent(keptShare)}, added ${percent(added)}, removed ${percent(removed)}`
  return (
    <svg className="leg" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={description}>
      <title>{description}</title>
      <rect className="kept" width={tenth(keptShare * 100)} height="8" />
      <rect className="added" x={tenth(keptShare * 100)} width={tenth(added * 100)} height="8" />
      <rect
        className="removed"
        x={tenth((keptShare + added) * 100)}
        width={tenth(removed * 100)}
        y="2"
        height="4"
      />
    </svg>
  )
}

/** The length of the text from station to station; a skipped one leaves it as it was. */
function Lengths({ stations }: { stations: Station[] }) {
  let now: number | null = null
  const lengths = stations.map((one) => (now = one.version?.wordCount ?? (one.omission ? now : null)))
  const there = lengths.flatMap((length, place) => (length === null ? [] : [{ length, place }]))
  const most = Math.max(1, ...there.map((one) => one.length))
  return (
    <Drawing
      className="lengths"
      label={`Length in words: ${there.map((one) => one.length).join(', ')}`}
      height={40}
    >
      {(width) => {
        const x = (place: number) => tenth(10 + (place * width) / stations.length)
        const y = (length: number) => tenth(36 - (length / most) * 22)
        return (
          <>
            <path
              className="spark"
              d={`M${there.map((one) => `${x(one.place)} ${y(one.length)}`).join('L')}`}
            />
            {there.map((one) => (
              <g key={one.place}>
                <circle cx={x(one.place)} cy={y(one.length)} r="2.5" />
                <text
                  className="soft"
                  x={x(one.place)}
                  y={y(one.length) - 6}
                  textAnchor={one.place === 0 ? 'start' : 'middle'}
                >
                  {one.length}
                </text>
              </g>
            ))}
          </>
        )
      }}
    </Drawing>
  )
}

function Compare({
  versions,
  pair: [before, after],
  choose,
}: {
  versions: Station[]
  pair: [number, number]
  choose: (pair: [number, number] | null) => void
}) {
  const text = (step: number) => versions.find((one) => one.step === step)?.version?.content ?? ''
  const select = (label: string, value: number, set: (step: number) => void) => (
    <label>
      <span className="note">{label}</span>{' '}
      <select
        aria-label={`${label} version`}
        value={value}
        onChange={(event) => set(Number(event.target.value))}
      >
        {versions.map((one) => (
          <option key={one.step} value={one.step}>
            {versionName(one)}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <section className="compare" aria-label="Two versions compared">
      <form className="line" onSubmit={(event) => event.preventDefault()}>
        {select('From', before, (step) => choose([step, after]))}
        {select('to', after, (step) => choose([before, step]))}
        <button type="button" className="small" onClick={() => choose(null)}>
          Close
        </button>
      </form>
      {text(before) === text(after) ? (
        <p className="hint">The two versions are the same, word for word.</p>
      ) : (
        <WordDiff before={text(before)} after={text(after)} />
      )}
    </section>
  )
}
