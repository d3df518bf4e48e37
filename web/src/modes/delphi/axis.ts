// The axis of a Delphi plot: a ruler, or powers of ten where the estimates need them.

import { ticks } from '../../ui/charts'

const TOO_WIDE_FOR_A_RULER = 100

/** Powers of ten are the fair measure where the question is one of magnitude, or the estimates differ as much. */
function needsPowers(values: number[], scale: string | null | undefined): boolean {
  if (scale === 'DATE' || scale === 'BOUNDED' || values.some((value) => value <= 0)) return false
  return scale === 'MAGNITUDE' || Math.max(...values) / Math.min(...values) >= TOO_WIDE_FOR_A_RULER
}

interface Axis {
  log: boolean
  /** Where a value stands between the lowest and the highest, from 0 to 1. */
  share: (value: number) => number
  marks: number[]
}

export function axisOf(values: number[], scale: string | null | undefined): Axis {
  const log = needsPowers(values, scale)
  const at = log ? Math.log10 : (value: number) => value
  let [low, high] = [Math.min(...values.map(at)), Math.max(...values.map(at))]
  const spare = (high - low) * 0.08 || (log ? 0.3 : Math.abs(high) * 0.1 || 1)
  ;[low, high] = [low - spare, high + spare]
  const share = (value: number) => (at(value) - low) / (high - low)
  return {
    log,
    share,
    marks: log
      ? powers(low, high)
      : ticks(low, high).filter((mark) => scale !== 'DATE' || Number.isInteger(mark)),
  }
}

function powers(low: number, high: number): number[] {
  const tens = Array.from(
    { length: Math.floor(high) - Math.ceil(low) + 1 },
    (_, place) => 10 ** (Math.ceil(low) + place),
  )
  if (tens.length > 6) return tens.filter((_, place) => place % Math.ceil(tens.length / 6) === 0)
  if (tens.length >= 3) return tens
  const finer = Array.from(
    { length: Math.ceil(high) - Math.floor(low) + 1 },
    (_, place) => 10 ** (Math.floor(low) + place),
  )
    .flatMap((ten) => [ten, 2 * ten, 5 * ten])
    .filter((value) => Math.log10(value) >= low && Math.log10(value) <= high)
  return finer.length >= 3 ? finer : ticks(10 ** low, 10 ** high)
}
