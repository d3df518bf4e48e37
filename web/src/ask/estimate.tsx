// Maximum cost, as the server reckons it; and what it would refuse, where.

import { useEffect, useRef, useState } from 'react'
import { ApiError, api } from '../api/client'
import { useConnection } from '../api/connection'
import type { RunEstimate } from '../api/wire'
import type { ModePart } from '../run/mode_part'
import { stepName } from '../run/stages'
import { dollars, listed, plural } from '../ui/format'
import { Fold } from '../ui/section'
import type { Config } from './schema'

export type Problems = Record<string, string>

export const problemsOf = (error: ApiError): Problems =>
  Object.fromEntries(error.details.toReversed().map((detail) => [detail.path, detail.message]))

const PAUSE_MS = 250

/** The estimate for what stands in the form, or what is wrong with it. The last one stays until the next is there. */
export function useEstimate(
  mode: string,
  config: Config,
  question: string,
): { estimate: RunEstimate | null; problems: Problems } {
  const [result, setResult] = useState<{
    mode: string
    estimate: RunEstimate | null
    problems: Problems
  } | null>(null)
  const newest = useRef(0)
  const { recoveries } = useConnection()
  const configJson = JSON.stringify(config)
  useEffect(() => {
    const mine = ++newest.current
    const take = (estimate: RunEstimate | null, problems: Problems) =>
      mine === newest.current && setResult({ mode, estimate, problems })
    const timer = setTimeout(() => {
      api.estimate({ question, mode, modeConfig: JSON.parse(configJson) as Config }).then(
        (estimate) => take(estimate, {}),
        (error: unknown) =>
          take(null, error instanceof ApiError && error.status === 400 ? problemsOf(error) : {}),
      )
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [mode, configJson, question, recoveries])
  return result?.mode === mode ? result : { estimate: null, problems: {} }
}

export const minutes = (ms: number) =>
  ms < 60_000 ? `${Math.round(ms / 1000)}\u00a0s` : `${Number((ms / 60_000).toFixed(1))}\u00a0min`

export function atMost(estimate: RunEstimate): string {
  if (estimate.simulated) return 'free'
  return estimate.cost == null ? 'cost unknown' : `at most ${dollars(estimate.cost)}`
}

/** One line: calls, money, time. */
export function EstimateLine({ estimate }: { estimate: RunEstimate }) {
  return (
    <>
      At most {plural(estimate.calls, 'call')} · {atMost(estimate)} ·{' '}
      {estimate.simulated ? 'quick' : `about ${minutes(estimate.durationMs)}`}
    </>
  )
}

const count = (tokens: number) =>
  tokens < 10_000 ? tokens.toLocaleString('en') : `${Math.round(tokens / 1000).toLocaleString('en')}k`

/** Said before anything is paid: a prompt that does not fit its model is shortened. */
export function ShortContexts({ estimate }: { estimate: RunEstimate }) {
  const models = estimate.shortContexts ?? []
  if (models.length === 0) return null
  return (
    <p className="notice short-contexts" role="note">
      If replies are long, {listed(models)} will see shortened texts: {models.length > 1 ? 'their' : 'its'}{' '}
      context is short.
    </p>
  )
}

/** How it was reckoned. */
export function EstimateFold({ estimate, part }: { estimate: RunEstimate; part: ModePart }) {
  const short = (step: StepLine) => step.models.map((model) => model.slice(model.indexOf('/') + 1)).join(', ')
  return (
    <Fold
      title="Maximum cost"
      note={
        estimate.simulated
          ? `${plural(estimate.calls, 'call')}, free`
          : `${plural(estimate.calls, 'call')}, ${atMost(estimate)}`
      }
    >
      <p className="hint">
        Never more than these {plural(estimate.calls, 'call')}, including retries and repairs.{' '}
        {estimate.simulated
          ? 'Simulated models cost nothing.'
          : estimate.cost == null
            ? `${estimate.reason ?? ''} The cost cannot be estimated.`
            : `Never more than ${dollars(estimate.cost)} if no reply is longer than ${estimate.replyTokens.toLocaleString('en')} tokens, about ${Math.round((estimate.replyTokens * 0.75) / 100) * 100} words; most are far shorter.`}
        {estimate.longestMs != null && ` The run stops after ${minutes(estimate.longestMs)} at the latest.`}
      </p>
      <div className="scroll" tabIndex={0} role="group" aria-label="Calls by step">
        <table className="figures steps">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Model</th>
              <th scope="col" className="right">
                Calls
              </th>
              <th scope="col" className="right">
                Reads
              </th>
              <th scope="col" className="right">
                Writes
              </th>
            </tr>
          </thead>
          <tbody>
            {sumBySteps(estimate).map((step, place) => (
              <tr key={place}>
                <td>{stepName(step.step, part)}</td>
                <td>{short(step)}</td>
                <td className="right">{step.calls}</td>
                <td className="right">{count(step.promptTokens)}</td>
                <td className="right">{count(step.completionTokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="hint">Reads and writes are counted in tokens.</p>
    </Fold>
  )
}

type StepLine = RunEstimate['steps'][number]

/** The seats of one step in one line. */
function sumBySteps(estimate: RunEstimate): StepLine[] {
  const lines = new Map<string, StepLine>()
  for (const step of estimate.steps) {
    const before = lines.get(step.step)
    lines.set(step.step, {
      step: step.step,
      models: [...new Set([...(before?.models ?? []), ...step.models])],
      calls: (before?.calls ?? 0) + step.calls,
      promptTokens: (before?.promptTokens ?? 0) + step.promptTokens,
      completionTokens: (before?.completionTokens ?? 0) + step.completionTokens,
    })
  }
  return [...lines.values()].filter((line) => line.calls > 0)
}
