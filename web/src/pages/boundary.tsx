// What stands in for a part of the page that broke, so that the rest stays.

import { Component, type ReactNode } from 'react'
import { reportMissingPart, useConnection } from '../api/connection'

interface Fault {
  error: Error | null
}

export class Boundary extends Component<{ children: ReactNode }, Fault> {
  override state: Fault = { error: null }

  static getDerivedStateFromError(error: unknown): Fault {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidCatch() {
    // The part may be missing because the server is gone; then the page reloads once it is back.
    void reportMissingPart()
  }

  override render() {
    return this.state.error ? <Broken error={this.state.error} /> : this.props.children
  }
}

function Broken({ error }: { error: Error }) {
  const { lost } = useConnection()
  return (
    <div className="notice bad" role="alert">
      {lost ? (
        <p>The server isn’t responding. This part of the page will load as soon as it is back.</p>
      ) : (
        <>
          <p>
            <strong>Something went wrong on this page.</strong> Your runs are safe. Reload to continue.
          </p>
          <p className="cause">{error.message}</p>
        </>
      )}
      <button type="button" className="plain" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  )
}

/** Stays at the top of the window while the server is gone. */
export function ConnectionBanner() {
  const { lost } = useConnection()
  return (
    <p className={lost ? 'connection lost' : 'connection'} role="status">
      {lost && 'The server isn’t responding. This page will reconnect by itself.'}
    </p>
  )
}
