// How much each answer counts, by the confidence that its author stated: the page's own sum, for a preview.

export const LEAST = 0.1
export const MOST = 0.95

/** Softmax over confidences, or over their log-odds; below a thousandth the highest take all. */
export function weightsOf(confidences: readonly number[], temperature: number, weighting: string): number[] {
  const values =
    weighting === 'log_odds' ? confidences.map((one) => Math.log(one / (1 - one))) : [...confidences]
  const top = Math.max(...values)
  const parts =
    temperature < 0.001
      ? values.map((one) => (one === top ? 1 : 0))
      : values.map((one) => Math.exp((one - top) / temperature))
  const whole = parts.reduce((sum, one) => sum + one, 0)
  return parts.map((one) => one / whole)
}

/** How many answers really count. */
export const effectiveCount = (weights: readonly number[]) =>
  1 / weights.reduce((sum, one) => sum + one * one, 0)

/** Hundredths of a percent that add up to 100.00: what is lost in rounding goes to the largest remainders. */
export function percentsOf(weights: readonly number[]): number[] {
  const exact = weights.map((one) => one * 10_000)
  const floors = exact.map(Math.floor)
  const missing = 10_000 - floors.reduce((sum, one) => sum + one, 0)
  const order = exact
    .map((one, place) => ({ place, rest: one - Math.floor(one) }))
    .sort((a, b) => b.rest - a.rest || a.place - b.place)
  for (const { place } of order.slice(0, missing)) floors[place]! += 1
  return floors.map((one) => one / 100)
}
