// A document cut at its second headings.

export interface Chapter {
  heading: string
  text: string
  /** The number of the planned section it belongs to. */
  section: number | null
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The title and the parts under second headings; what looks like a heading within code is none. */
export function chaptersOf(document: string): { title: string; chapters: Chapter[] } {
  let title = ''
  let fence: string | null = null
  const chapters: Chapter[] = [{ heading: '', text: '', section: null }]
  for (const line of document.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark && fence === null) fence = mark
    else if (mark && fence !== null && mark.startsWith(fence.charAt(0)) && mark.length >= fence.length)
      fence = null
    const heading = fence === null ? /^## +(.+?)\s*$/.exec(line)?.[1] : undefined
    const first =
      fence === null && !title && chapters.length === 1 ? /^# +(.+?)\s*$/.exec(line)?.[1] : undefined
    if (first) title = first
    else if (heading !== undefined) {
      const number = /^Section (\d+)\b/.exec(heading)?.[1]
      chapters.push({
        heading,
        text: '',
        section: number
          ? Number(number)
          : /^(Executive Summary|Table of Contents|Open Points)$/.test(heading)
            ? null
            : chapters.at(-1)!.section,
      })
    } else chapters.at(-1)!.text += `${line}\n`
  }
  // The contents stand beside the text, where they can be clicked.
  return {
    title,
    chapters: chapters.filter(
      (one) => one.heading !== 'Table of Contents' && (one.heading || one.text.trim()),
    ),
  }
}
