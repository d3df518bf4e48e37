// Colours code and sets formulas in a text that has been drawn; loaded only where there are any.

import DOMPurify from 'dompurify'
import hljs from 'highlight.js/lib/core'

const LANGUAGES: Record<string, () => Promise<{ default: Parameters<typeof hljs.registerLanguage>[1] }>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  go: () => import('highlight.js/lib/languages/go'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
}
const NAMES: Record<string, string> = {
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  js: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  html: 'xml',
  svg: 'xml',
  yml: 'yaml',
  'c++': 'cpp',
  golang: 'go',
}

export async function highlight(element: HTMLElement): Promise<void> {
  await Promise.all([
    ...Array.from(element.querySelectorAll<HTMLElement>('code[data-language]'), highlightCode),
    renderFormulas(Array.from(element.querySelectorAll<HTMLElement>('.formula[data-tex]'))),
  ])
}

async function highlightCode(code: HTMLElement): Promise<void> {
  const language = code.dataset.language ?? ''
  const name = NAMES[language] ?? language
  const load = LANGUAGES[name]
  if (!load) return
  if (!hljs.getLanguage(name)) hljs.registerLanguage(name, (await load()).default)
  const html = hljs.highlight(code.textContent, { language: name, ignoreIllegals: true }).value
  code.innerHTML = DOMPurify.sanitize(html, { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] })
}

async function renderFormulas(places: HTMLElement[]): Promise<void> {
  if (places.length === 0) return
  const { default: temml } = await import('temml')
  for (const place of places) {
    const tex = place.dataset.tex ?? ''
    try {
      const math = temml.renderToString(tex, {
        displayMode: place.tagName === 'DIV',
        throwOnError: true,
        trust: false,
      })
      // The page's policy refuses styles inside of attributes; MathML reads well without.
      const plain = math.replace(/ style="[^"]*"/g, '')
      place.innerHTML = DOMPurify.sanitize(plain, {
        USE_PROFILES: { mathMl: true },
        FORBID_ATTR: ['style', 'href'],
      })
    } catch {
      continue // what is no formula stays as it was written
    }
  }
}
