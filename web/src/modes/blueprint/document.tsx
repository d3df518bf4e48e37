// A long document: its contents beside it, who wrote which part, and what was left open.

import { useEffect, useId, useRef, useState } from 'react'
import { download } from '../../ui/download'
import { Markdown } from '../../ui/markdown'
import { SeatLabel, Sign, seatClass, shortModel } from '../../ui/seats'
import { Switch } from '../../ui/section'
import { type Chapter, chaptersOf } from './chapters'
import './document.css'

export interface Author {
  seat: number
  model: string
}

const REFERENCE = /\[Section (\d+)[^\]]*\]\(#[^)]*\)/g
const shortHeading = (heading: string) => heading.replace(/^Section (\d+): /, '$1. ')

export function Document({
  text,
  authors,
  missing,
}: {
  text: string
  authors: Map<number, Author>
  missing: ReadonlySet<number>
}) {
  const prefix = useId()
  const [byAuthor, setByAuthor] = useState(false)
  const { title, chapters } = chaptersOf(text)
  const [current, watch] = useCurrentChapter(chapters.length)
  const go = (place: number) => {
    const heading = document.getElementById(`${prefix}${place}`)
    heading?.scrollIntoView({ block: 'start' })
    heading?.focus({ preventScroll: true })
  }
  const goToSection = (section: number) => go(chapters.findIndex((one) => one.section === section))
  const writers = [...new Map([...authors.values()].map((one) => [one.seat, one])).values()].sort(
    (a, b) => a.seat - b.seat,
  )
  return (
    <div className={`document ${byAuthor ? 'by-author' : ''}`}>
      <nav className="contents" aria-label="Contents">
        <p className="line">
          <strong>Contents</strong>
          <button
            type="button"
            className="small"
            onClick={() => download(new Blob([text], { type: 'text/markdown' }), title || 'document', 'md')}
          >
            Download
          </button>
        </p>
        <ol>
          {chapters.map(
            (one, place) =>
              one.heading && (
                <li key={place} className={one.section !== null && missing.has(one.section) ? 'missing' : ''}>
                  <button
                    type="button"
                    data-kept
                    className="content"
                    aria-current={place === current ? 'location' : undefined}
                    onClick={() => go(place)}
                  >
                    {byAuthor && one.section !== null && (
                      <Sign seat={authors.get(one.section)?.seat} size={10} />
                    )}
                    <span dir="auto">{shortHeading(one.heading)}</span>
                  </button>
                </li>
              ),
          )}
        </ol>
        {writers.length > 0 && (
          <Switch on={byAuthor} set={setByAuthor}>
            {byAuthor ? 'Hide authors' : 'Show authors'}
          </Switch>
        )}
        {byAuthor && (
          <p className="writers">
            {writers.map((one) => (
              <SeatLabel key={one.seat} seat={one.seat} model={one.model} />
            ))}
          </p>
        )}
      </nav>
      <div className="document-text" ref={watch}>
        {title && (
          <h3 className="document-title" dir="auto">
            {title}
          </h3>
        )}
        {chapters.map((one, place) => {
          const author = one.section === null ? undefined : authors.get(one.section)
          return (
            <section
              key={place}
              className={`chapter ${author ? seatClass(author.seat) : ''} ${one.section !== null && missing.has(one.section) ? 'missing' : ''}`}
              aria-labelledby={one.heading ? `${prefix}${place}` : undefined}
            >
              {one.heading && (
                <h3 id={`${prefix}${place}`} tabIndex={-1} dir="auto">
                  {shortHeading(one.heading)}
                  {byAuthor && author && (
                    <span className="author">
                      <Sign seat={author.seat} size={11} /> {shortModel(author.model)}
                    </span>
                  )}
                </h3>
              )}
              {one.heading === 'Open Points' ? (
                <OpenPoints text={one.text} />
              ) : (
                <Markdown text={one.text} top={4} />
              )}
              <References text={one.text} chapters={chapters} go={goToSection} />
            </section>
          )
        })}
      </div>
    </div>
  )
}

/** Sections that a section speaks of: one click away. */
function References({
  text,
  chapters,
  go,
}: {
  text: string
  chapters: Chapter[]
  go: (section: number) => void
}) {
  const numbers = [...new Set([...text.matchAll(REFERENCE)].map((found) => Number(found[1])))].filter(
    (number) => chapters.some((one) => one.section === number),
  )
  if (numbers.length === 0) return null
  return (
    <p className="hint">
      Refers to{' '}
      {numbers.map((number) => (
        <button key={number} type="button" data-kept className="as-link reference" onClick={() => go(number)}>
          {shortHeading(chapters.find((one) => one.section === number)!.heading)}
        </button>
      ))}
    </p>
  )
}

const CONFLICT = /^- (Conflict between .*)$/

function OpenPoints({ text }: { text: string }) {
  const lines = text.split('\n')
  const conflicts = lines.flatMap((line) => CONFLICT.exec(line)?.[1] ?? [])
  return (
    <>
      {conflicts.map((one, place) => (
        <p key={place} className="conflict" dir="auto">
          {one}
        </p>
      ))}
      <Markdown text={lines.filter((line) => !CONFLICT.test(line)).join('\n')} top={4} />
    </>
  )
}

/** Which chapter is being read, told only once someone scrolls. */
function useCurrentChapter(count: number): [number | null, React.RefObject<HTMLDivElement | null>] {
  const box = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<number | null>(null)
  useEffect(() => {
    const onScroll = () => {
      const tops = Array.from(
        box.current?.querySelectorAll('.chapter') ?? [],
        (one) => one.getBoundingClientRect().top,
      )
      const place = tops.findLastIndex((top) => top < window.innerHeight / 3)
      setCurrent(place < 0 ? null : place)
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [count])
  return [current, box]
}
