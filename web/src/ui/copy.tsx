import { useEffect, useState } from 'react'

const SHOWN_MS = 2000

/** Puts a text on the clipboard; also where the page is served without TLS and the browser has no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  area.select()
  // Deprecated, and the only way without a clipboard.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}

export function Copy({ text, label }: { text: string; label?: string }) {
  const [result, setResult] = useState('')
  useEffect(() => {
    if (!result) return
    const timer = setTimeout(() => setResult(''), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [result])
  const copy = async () => setResult((await copyText(text)) ? 'Copied' : 'Couldn’t copy')
  return (
    <button type="button" className="small copy" aria-label={result || label} onClick={() => void copy()}>
      {result || 'Copy'}
    </button>
  )
}
