/** Hands a file to the person at the browser. */
export function download(file: Blob, title: string, ending: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `${
    title
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .trim()
      .slice(0, 60) || 'conversation'
  }.${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
