// What the models of a stopped or failed run had said by then, call by call.

import { useEffect, useState } from 'react'
import { api } from '../api/client'
import { useConnection } from '../api/connection'
import type { CallView } from '../api/wire'
import { duration, plural } from '../ui/format'
import { SeatTexts } from '../ui/seat_texts'
import { Section } from '../ui/section'
import type { ModePart } from './mode_part'
import { stepName } from './stages'

export function SaidSoFar({ runId, part }: { runId: string; part: ModePart }) {
  const [calls, setCalls] = useState<CallView[]>([])
  const { recoveries } = useConnection()
  useEffect(() => {
    api.run(runId).then(
      (run) => setCalls(run.calls.filter((call) => call.text && call.step !== 'title')),
      () => undefined,
    )
  }, [runId, recoveries])
  if (calls.length === 0) return null
  return (
    <Section title="What was said so far" note={plural(calls.length, 'reply', 'replies')}>
      <SeatTexts
        entries={calls.map((call) => ({
          seat: call.seat,
          model: call.model,
          text: call.text ?? '',
          note: `${stepName(call.step, part)} · ${duration(call.responseTimeMs)}`,
          lines: true,
        }))}
      />
    </Section>
  )
}
