// The conversation as one file that shows the same view offline: drawn text, own styles, no script.

import { download } from '../ui/download'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;' }

export async function saveAsPage(title: string): Promise<void> {
  const main = document.getElementById('main')
  if (!main) return
  const closed = Array.from(main.querySelectorAll<HTMLDetailsElement>('details:not([open])'))
  // What is folded is drawn when it is opened, folds within folds too.
  for (let depth = 0; depth < 4; depth++) {
    for (const fold of main.querySelectorAll<HTMLDetailsElement>('details:not([open])')) fold.open = true
    await new Promise((resolve) => setTimeout(resolve, 120))
  }
  const copy = main.cloneNode(true) as HTMLElement
  for (const fold of main.querySelectorAll<HTMLDetailsElement>('.turn details'))
    if (closed.includes(fold) || fold.parentElement?.closest('details')) fold.open = false
  for (const fold of copy.querySelectorAll('details')) fold.removeAttribute('open')
  // What is pressed to see more is part of the picture; only what it does stays behind.
  for (const button of copy.querySelectorAll<HTMLButtonElement>('button[data-kept]')) {
    const plain = document.createElement('span')
    plain.className = button.className
    plain.append(...button.childNodes)
    button.replaceWith(plain)
  }
  for (const tool of copy.querySelectorAll('button, form, .online, a[download]')) tool.remove()
  const styles = await Promise.all(
    Array.from(document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'), async (link) =>
      (await fetch(link.href)).text(),
    ),
  )
  const name = title.replace(/[&<]/g, (sign) => ESCAPES[sign]!)
  const html = `<!doctype html><html lang="en" data-theme="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${name}</title><style>${styles.join('\n')}</style></head><body><main>${copy.innerHTML}</main></body></html>`
  download(new Blob([html], { type: 'text/html' }), title, 'html')
}
