import { describe, expect, it } from 'vitest'
import { frameReader } from '../../src/api/stream'

const STREAM =
  'id: 1\nevent: a\ndata: {"x":1}\n\n: ping\n\nevent: token\ndata: {"y":"é"}\n\nid: 2\r\ndata: one\r\ndata: two\r\n\r\n'
const WHOLE = [
  { id: 1, data: '{"x":1}' },
  { id: null, data: '{"y":"é"}' },
  { id: 2, data: 'one\ntwo' },
]

describe('a stream of server-sent events', () => {
  it('is read the same however it is cut', () => {
    for (let size = 1; size <= STREAM.length; size++) {
      const read = frameReader()
      const frames = []
      for (let from = 0; from < STREAM.length; from += size)
        frames.push(...read(STREAM.slice(from, from + size)))
      expect(frames).toEqual(WHOLE)
    }
  })

  it('gives no frame that has not ended', () => {
    expect(frameReader()('id: 1\ndata: half')).toEqual([])
  })
})
