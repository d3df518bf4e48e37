import { memo, useEffect, useMemo, useRef } from 'react'
import { type Block, markdownBlocks } from './markdown_blocks'

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
    <div className={lines ? 'prose as-lines' : 'prose'} ref={place} dir="auto">
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
