import { type MouseEvent, memo, useEffect, useMemo, useRef } from 'react'
import { copyText } from './copy'
import { type Block, markdownBlocks } from './markdown_blocks'

const COPIED_MS = 2000

/**
 * A model's text. While it is `growing`, code and formulas stay plain: they are coloured once, at the end.
 * In a filled-in form, `lines` end where the model ended them. Headings begin at the level `top`.
 */
export const Markdown = memo(function Markdown({
  text,
  growing = false,
  lines = false,
  top = 3,
}: {
  text: string
  growing?: boolean
  lines?: boolean
  top?: number
}) {
  const place = useRef<HTMLDivElement>(null)
  const parts = useMemo(() => markdownBlocks(text, top), [text, top])
  useEffect(() => {
    const element = place.current
    if (growing || !element?.querySelector('code[data-language], .formula')) return
    let wanted = true
    void import('./highlight').then(({ highlight: dress }) => (wanted ? dress(element) : undefined))
    return () => {
      wanted = false
    }
  }, [text, growing])
  return (
    <div className={lines ? 'prose as-lines' : 'prose'} ref={place} dir="auto" onClick={copyCode}>
      {parts.map((block, place) => (
        <Part key={place} block={block} />
      ))}
    </div>
  )
})

const Part = memo(
  ({ block }: { block: Block }) => (
    <div className="block" dangerouslySetInnerHTML={{ __html: block.html() }} />
  ),
  (before, after) => before.block.key === after.block.key,
)

/** The buttons of code are drawn with its text: one listener serves them all. */
function copyCode({ target }: MouseEvent) {
  const button = target instanceof HTMLElement ? target.closest<HTMLButtonElement>('.code > .copy') : null
  if (!button) return
  void copyText(button.nextElementSibling?.textContent ?? '').then((copied) => {
    button.textContent = copied ? 'Copied' : 'Couldn’t copy'
    setTimeout(() => (button.textContent = 'Copy'), COPIED_MS)
  })
}
