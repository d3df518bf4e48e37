// Places in a text: where they begin and end, and how the text is cut to mark them.

export interface Annotation {
  id: string
  /** What the place is called in the text: a number, mostly. */
  name: string
  start: number
  end: number
  kind: string
  /** The kind as a sign and in words, for those who see no colour. */
  sign: string
  label: string
}

/** Offsets of the API count characters; those of a string in a browser count halves of some of them. */
export function codeUnitOffsets(text: string, places: number[]): number[] {
  const wanted = new Set(places)
  const match = new Map<number, number>()
  let count = 0
  let at = 0
  for (const sign of text) {
    if (wanted.has(count)) match.set(count, at)
    count += 1
    at += sign.length
  }
  return places.map((place) => match.get(place) ?? at)
}

interface Segment {
  text: string
  inside: Annotation[]
  ends: Annotation[]
}

/** The text cut wherever a place begins or ends, so that places may lie within or across one another. */
export function segmentsOf(text: string, places: Annotation[]): Segment[] {
  const real = places.filter(
    (place) => place.start >= 0 && place.end > place.start && place.end <= text.length,
  )
  const cuts = [...new Set([0, text.length, ...real.flatMap((place) => [place.start, place.end])])].sort(
    (a, b) => a - b,
  )
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1]!
    return {
      text: text.slice(from, to),
      inside: real.filter((place) => place.start <= from && to <= place.end),
      ends: real.filter((place) => place.end === to),
    }
  })
}

/** The same text with plain quotation marks and dashes, sign for sign. */
const plain = (text: string) =>
  text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, '-')

/** Where a quotation stands in a text; blanks, case and kinds of quotation marks apart. */
export function findQuote(text: string, quote: string): { start: number; end: number } | null {
  const words = plain(quote).trim().split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+')
  const match = new RegExp(pattern, 'iu').exec(plain(text))
  return match ? { start: match.index, end: match.index + match[0].length } : null
}
