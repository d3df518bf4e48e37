// The events of a run as they come over the wire: server-sent events, however the bytes were cut.

/** An event with its number, or one of the live kind, which has none. */
export interface StreamEvent {
  id: number | null
  event: { type: string; at: number } & Record<string, unknown>
}

/** The events of a response until it ends or the signal calls it off. */
export async function* readEvents(response: Response, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  signal?.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
  const frames = frameReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      for (const { id, data } of frames(value)) yield { id, event: JSON.parse(data) as StreamEvent['event'] }
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

interface Frame {
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
    const pending = rest.endsWith('\r') ? '\r' : ''
    const lines = (pending ? rest.slice(0, -1) : rest).split(/\r\n|\r|\n/)
    rest = (lines.pop() ?? '') + pending
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
