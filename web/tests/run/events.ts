import type { StreamEvent } from '../../src/api/stream'

export const opening = {
  type: 'vote_start',
  at: 0,
  conversationId: 'c',
  messageId: 'm',
  mode: 'vote',
  runId: 'r',
}

export const stored = (id: number, event: object): StreamEvent => ({
  id,
  event: { at: id * 10, ...event } as StreamEvent['event'],
})

export const live = (type: string, data: object, at = 5): StreamEvent => ({
  id: null,
  event: { type, at, data },
})
