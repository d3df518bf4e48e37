// Figures and names in words.

export const duration = (ms: number) =>
  ms < 9950
    ? `${(ms / 1000).toFixed(1)} s`
    : ms < 59_500
      ? `${Math.round(ms / 1000)} s`
      : `${Math.floor(Math.round(ms / 1000) / 60)} min ${Math.round(ms / 1000) % 60} s`
export const decimal = (value: number | null | undefined, digits = 1) =>
  value == null ? '–' : value.toFixed(digits)
export const percent = (share: number | null | undefined) =>
  share == null ? '–' : `${Math.round(share * 100)}%`
export const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`
const inWords = new Intl.ListFormat('en-GB')
/** One, two and three. */
export const listed = (names: readonly string[]) => inWords.format(names)
export const humanize = (name: string) =>
  name.replace(/_/g, ' ').replace(/^\w/, (first) => first.toUpperCase())
export const dollars = (amount: number) =>
  amount === 0 ? '$0' : amount < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`
