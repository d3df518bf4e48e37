// Whether the server responds. The first request that fails says so; then one place asks until it is back, and
// everyone who shows something loads it again.

import { useSyncExternalStore } from 'react'

export interface Connection {
  lost: boolean
  /** How many times the server came back: whoever loads something loads it again when this changes. */
  recoveries: number
}

const HEALTH = '/healthz'
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 4000
const PROBE_MS = 5000

let connection: Connection = { lost: false, recoveries: 0 }
let reload = false
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function change(next: Connection) {
  connection = next
  for (const listener of [...listeners]) listener()
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)

/** A request got no reply: say so, and look for the server until it is there. */
export function reportLoss(): void {
  if (connection.lost) return
  change({ ...connection, lost: true })
  void watch()
}

async function watch(): Promise<void> {
  let wait = FIRST_WAIT_MS
  do {
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  } while (!(await responds()))
  // A part of the page that could not be fetched comes with a new page only.
  if (reload) location.reload()
  else change({ lost: false, recoveries: connection.recoveries + 1 })
}

async function responds(): Promise<boolean> {
  try {
    const response = await fetch(HEALTH, { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) })
    return !isGatewayError(response)
  } catch {
    return false
  }
}

/** A proxy that stands before a server which is gone. moot's own errors are JSON. */
export const isGatewayError = (response: Response): boolean =>
  [502, 503, 504].includes(response.status) && !response.headers.get('Content-Type')?.includes('json')

/** Wait that long, or until the server is back. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const before = connection.recoveries
    const done = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const timer = setTimeout(done, ms)
    const stop = subscribe(() => connection.recoveries > before && done())
  })
}

/** A part of the page could not be fetched: if that is because the server is gone, reload once it is back. */
export async function reportMissingPart(): Promise<void> {
  if (await responds()) return
  reload = true
  reportLoss()
}
