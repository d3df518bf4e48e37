// Server-sent events from a stream of bytes, however it was cut.

export interface Frame {
  id: number | null
  data: string
}

/** Feed it text as it comes; it returns the frames that are whole. */
export function frameReader(): (text: string) => Frame[] {
  let rest = ''
  let id: number | null = null
  let data: string[] = []
  return (text) => {
    const frames: Frame[] = []
    rest += text
    // A carriage return at the end may be the first half of a line end.
    const held = rest.endsWith('\r') ? '\r' : ''
    const lines = (held ? rest.slice(0, -1) : rest).split(/\r\n|\r|\n/)
    rest = (lines.pop() ?? '') + held
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) frames.push({ id, data: data.join('\n') })
        id = null
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const name = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'data') data.push(value)
      else if (name === 'id' && /^\d+$/.test(value)) id = Number(value)
    }
    return frames
  }
}
