import { useState } from 'react'
import { plural } from '../../ui/format'
import { Badge, Section } from '../../ui/section'
import type { Events } from './wire'

type Consolidation = Events['consolidation_complete']['data']

/** What to do, to be ticked off; this browser remembers what was. */
export function Actions({ consolidation, run }: { consolidation: Consolidation; run: string }) {
  const key = `moot.actions.${run}`
  const [ticks, setTicks] = useState<number[]>(() => storedTicks(key))
  const tick = (issue: number, on: boolean) => {
    const next = on ? [...ticks, issue] : ticks.filter((one) => one !== issue)
    setTicks(next)
    try {
      localStorage.setItem(key, JSON.stringify(next))
    } catch {
      return // nothing more than a memory is lost
    }
  }
  return (
    <Section
      title="Action items"
      note={`${ticks.length} of ${plural(consolidation.actionItems.length, 'action')} done`}
    >
      <ol className="actions">
        {consolidation.actionItems.map((one) => {
          const on = ticks.includes(one.issue)
          return (
            <li key={one.issue} className={on ? 'ticked' : ''}>
              <label>
                <input
                  type="checkbox"
                  checked={on}
                  onChange={(event) => tick(one.issue, event.target.checked)}
                />
                <span dir="auto">
                  <strong>{one.title}</strong>
                  {one.action && ` ${one.action}`}
                </span>
              </label>
              <span className="note">
                <Badge kind={one.severity.toLowerCase()}>{one.severity.toLowerCase()}</Badge>{' '}
                {one.effort && `${one.effort.toLowerCase()} effort`}
                {one.verifyFirst && <Badge kind="bad">verify first</Badge>}
              </span>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

function storedTicks(key: string): number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'number') : []
  } catch {
    return []
  }
}
