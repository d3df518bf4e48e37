// Which mode: four to start with, by what a person wants; all of them, by family, one step away.

import type { Ref } from 'react'
import type { ModeView, RunEstimate } from '../api/wire'
import { humanize } from '../ui/format'
import { atMost, minutes } from './estimate'
import { seatCount } from './schema'

const FAMILIES: Record<string, string> = {
  evaluation: 'Compare answers',
  adversarial: 'Attack and defend',
  sequential: 'Improve step by step',
  role_based: 'Assign roles',
  algorithmic: 'Decide by procedure',
  creative: 'Find ideas',
  verification: 'Check facts',
}

/** What people come for, and the mode that does it best. */
const STARTERS: Record<string, string> = {
  council: 'A better answer',
  debate: 'A decision',
  fact_check: 'A check',
  blueprint: 'A document',
}

interface ModePickerProps {
  box: Ref<HTMLFieldSetElement>
  modes: ModeView[]
  chosen: ModeView
  choose: (mode: string) => void
  estimates: Record<string, RunEstimate>
  /** Whether all modes are shown. */
  all: boolean
  showAll: (all: boolean) => void
}

export function ModePicker({ box, modes, chosen, choose, estimates, all, showAll }: ModePickerProps) {
  const card = (mode: ModeView) => (
    <ModeCard
      key={mode.id}
      mode={mode}
      want={all ? undefined : STARTERS[mode.id]}
      chosen={mode.id === chosen.id}
      choose={choose}
      facts={modeFacts(mode, estimates[mode.id])}
    />
  )
  const families = [...new Set(modes.map((mode) => mode.family))]
  const starters = modes.filter((mode) => mode.id in STARTERS || mode.id === chosen.id)
  return (
    <>
      <fieldset ref={box} className={all ? 'modes' : 'modes starters'}>
        <legend>{all ? 'Choose a mode' : 'What do you want?'}</legend>
        {all
          ? families.map((family) => (
              <div key={family} className="family">
                <h2>{FAMILIES[family] ?? humanize(family)}</h2>
                {modes.filter((mode) => mode.family === family).map(card)}
              </div>
            ))
          : starters.toSorted((a, b) => rank(a) - rank(b)).map(card)}
      </fieldset>
      <p className="more-modes">
        <button type="button" className="as-link" aria-expanded={all} onClick={() => showAll(!all)}>
          {all ? 'Show fewer modes' : `All ${modes.length} modes`}
        </button>
      </p>
    </>
  )
}

const ORDER = Object.keys(STARTERS)
const rank = (mode: ModeView) => (ORDER.indexOf(mode.id) + ORDER.length + 1) % (ORDER.length + 1)

function ModeCard({
  mode,
  want,
  chosen,
  choose,
  facts,
}: {
  mode: ModeView
  want: string | undefined
  chosen: boolean
  choose: (mode: string) => void
  facts: string
}) {
  return (
    <label className={chosen ? 'mode chosen' : 'mode'}>
      <input
        type="radio"
        name="mode"
        value={mode.id}
        checked={chosen}
        aria-labelledby={`mode-${mode.id}`}
        aria-describedby={`mode-${mode.id}-for mode-${mode.id}-takes`}
        onChange={() => choose(mode.id)}
      />
      <span className="mode-name" id={`mode-${mode.id}`}>
        {want ?? mode.name} {want && <span className="note">{mode.name}</span>}
      </span>
      <span className="hint" id={`mode-${mode.id}-for`}>
        {mode.goodFor}
      </span>
      <span className="note" id={`mode-${mode.id}-takes`}>
        {facts}
      </span>
    </label>
  )
}

function modeFacts(mode: ModeView, estimate: RunEstimate | undefined): string {
  const parts = [seatCount(mode.configSchema ?? {}), minutes(mode.estimatedDurationMs)]
  // Where all are simulated, all are free, and sixteen times "free" says nothing.
  if (estimate && !estimate.simulated && estimate.cost != null) parts.push(atMost(estimate))
  return parts.join(' · ')
}
