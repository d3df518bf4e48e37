// What models write, made safe to show: no HTML of theirs, no picture that is fetched, no link that hides
// where it leads.

import DOMPurify from 'dompurify'
import { Marked, type Token, type Tokens } from 'marked'
import { safeUrl } from './safe_url'

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!)

function link(href: string, inner: string, plain: string): string {
  const address = safeUrl(href)
  if (!address) return inner
  const host = address.host || address.pathname
  const shown = plain.includes(host) ? '' : ` <span class="host">${escapeHtml(host)}</span>`
  return `<a href="${escapeHtml(address.href)}" target="_blank" rel="noopener noreferrer nofollow">${inner}</a>${shown}`
}

type Formula = Tokens.Generic & { tex: string; display: boolean }
const formula = (raw: string, tex: string, display: boolean): Formula => ({
  type: 'formula',
  raw,
  tex: tex.trim(),
  display,
})
const asFormula = (token: Tokens.Generic) =>
  `<${token.display ? 'div' : 'span'} class="formula" data-tex="${escapeHtml(String(token.tex))}">${escapeHtml(String(token.tex))}</${token.display ? 'div' : 'span'}>`

/** What a writer left open is to be seen in passing. */
const LEFT_OPEN = /^\[TODO:\s*[^[\]]{1,1000}\](?!\()/i

/** A cell as short as “Response D” is not broken. */
const NAME_LENGTH = 14

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ href, text }) => link(href, `[picture: ${escapeHtml(text || 'untitled')}]`, ''),
    link({ href, tokens, text }) {
      return link(href, this.parser.parseInline(tokens), text)
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    heading({ tokens, depth }) {
      return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>`
    },
    table(token) {
      const cell = (one: Tokens.TableCell, name: string) => {
        const classes = [one.align, one.text.length <= NAME_LENGTH && name === 'td' && 'label'].filter(
          Boolean,
        )
        const marks = classes.length > 0 ? ` class="${classes.join(' ')}"` : ''
        return `<${name}${marks}>${this.parser.parseInline(one.tokens)}</${name}>`
      }
      // A heading without words is no heading.
      const row = (cells: Tokens.TableCell[], name: string) =>
        `<tr>${cells.map((one) => cell(one, one.text ? name : 'td')).join('')}</tr>`
      const body = token.rows.map((cells) => row(cells, 'td')).join('')
      return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>`
    },
    code({ text, lang }) {
      const language = /^[\w+#-]{1,20}/.exec(lang ?? '')?.[0]?.toLowerCase()
      return `<div class="code"><button class="small copy">Copy</button><pre tabindex="0"><code${language ? ` data-language="${escapeHtml(language)}"` : ''}>${escapeHtml(text)}</code></pre></div>`
    },
  },
  extensions: [
    {
      name: 'formula',
      level: 'block',
      start: (text) => /\$\$|\\\[/.exec(text)?.index,
      tokenizer(text) {
        const found = /^(?:\$\$([\s\S]{1,4000}?)\$\$|\\\[([\s\S]{1,4000}?)\\\])[ \t]*(?:\n|$)/.exec(text)
        return found ? formula(found[0], found[1] ?? found[2] ?? '', true) : undefined
      },
      renderer: asFormula,
    },
    {
      name: 'formula',
      level: 'inline',
      start: (text) => /\$|\\\(/.exec(text)?.index,
      tokenizer(text) {
        // A dollar sign beside a blank or before a figure is money.
        const found = /^(?:\$(?![\s$])([^$\n]{1,300}?)(?<![\s\\])\$(?!\d)|\\\(([^\n]{1,300}?)\\\))/.exec(text)
        return found ? formula(found[0], found[1] ?? found[2] ?? '', false) : undefined
      },
      renderer: asFormula,
    },
    {
      name: 'todo',
      level: 'inline',
      start: (text) => /\[TODO:/i.exec(text)?.index,
      tokenizer(text) {
        const found = LEFT_OPEN.exec(text)
        return found ? { type: 'todo', raw: found[0] } : undefined
      },
      renderer: ({ raw }) => `<span class="todo">${escapeHtml(raw)}</span>`,
    },
  ],
})

const TAGS =
  'a abbr b blockquote br button code del div em h3 h4 h5 h6 hr i li ol p pre s span strong sub sup table tbody td th thead tr ul'
const ATTRIBUTES = [
  'href',
  'target',
  'rel',
  'class',
  'start',
  'tabindex',
  'role',
  'aria-label',
  'data-language',
  'data-tex',
]

export function sanitize(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ADD_ATTR: ['target'],
  })
}

/** Signs that turn text around and could make it read as what it is not. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g

export interface Block {
  key: string
  html: () => string
}

/** The blocks of a text, each to be drawn on its own: while a text grows, only its last ones change. */
export function markdownBlocks(text: string, top = 3): Block[] {
  const tokens = marked.lexer(text.replace(TURNING, '')).filter((token) => token.type !== 'space')
  level(tokens, top)
  return tokens.map((token) => ({
    key: `${token.type === 'heading' ? (token as Tokens.Heading).depth : ''} ${token.raw}`,
    html: () => sanitize(marked.parser([token] as Token[])),
  }))
}

/** The page has headings of its own above these: they begin at the level `top` and leave none out. */
function level(tokens: Token[], top: number) {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const highest = Math.min(...headings.map((heading) => heading.depth))
  let before = top - 1
  for (const heading of headings) {
    heading.depth = Math.min(heading.depth - highest + top, before + 1, 6)
    before = heading.depth
  }
}
