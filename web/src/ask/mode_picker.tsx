// The ways to deliberate, by family: what each is good for, and what it takes.

import type { ModeView, RunEstimate } from '../api/wire'
import { humanize } from '../ui/format'
import { atMost, minutes } from './estimate'

const FAMILIES: Record<string, string> = {
  evaluation: 'Compare answers',
  adversarial: 'Attack and defend',
  sequential: 'Improve step by step',
  role_based: 'Assign roles',
  algorithmic: 'Decide by procedure',
  creative: 'Find ideas',
  verification: 'Check facts',
}

export function ModePicker({
  modes,
  chosen,
  choose,
  estimates,
}: {
  modes: ModeView[]
  chosen: ModeView
  choose: (mode: string) => void
  estimates: Record<string, RunEstimate>
}) {
  const families = [...new Set(modes.map((mode) => mode.family))]
  return (
    <fieldset className="modes">
      <legend>Choose a mode</legend>
      {families.map((family) => (
        <div key={family} className="family">
          <h2>{FAMILIES[family] ?? humanize(family)}</h2>
          {modes
            .filter((mode) => mode.family === family)
            .map((mode) => (
              <label key={mode.id} className={mode.id === chosen.id ? 'mode chosen' : 'mode'}>
                <input
                  type="radio"
                  name="mode"
                  value={mode.id}
                  checked={mode.id === chosen.id}
                  aria-labelledby={`mode-${mode.id}`}
                  aria-describedby={`mode-${mode.id}-for mode-${mode.id}-takes`}
                  onChange={() => choose(mode.id)}
                />
                <span className="mode-name" id={`mode-${mode.id}`}>
                  {mode.name}
                </span>
                <span className="hint" id={`mode-${mode.id}-for`}>
                  {mode.goodFor}
                </span>
                <span className="note" id={`mode-${mode.id}-takes`}>
                  {modeFacts(mode, estimates[mode.id])}
                </span>
              </label>
            ))}
        </div>
      ))}
    </fieldset>
  )
}

function modeFacts(mode: ModeView, estimate: RunEstimate | undefined): string {
  const parts = [`${mode.minModels}–${mode.maxModels} models`, minutes(mode.estimatedDurationMs)]
  // Where all are simulated, all are free, and sixteen times "free" says nothing.
  if (estimate && !estimate.simulated && estimate.cost != null) parts.push(atMost(estimate))
  return parts.join(' · ')
}
