// Who will answer, where that is not what a person might think: simulated models, or none for want of a key.

import type { Models, Preset, RunEstimate } from '../api/wire'

interface ModelNoticeProps {
  models: Models | null
  estimate: RunEstimate | null
  /** The default preset, where it cannot be used. */
  passedOver: Preset | undefined
  reset: () => void
}

export function ModelNotice({ models, estimate, passedOver, reset }: ModelNoticeProps) {
  const simulatedPanel = models?.panel.every((model) => model.startsWith('sim/')) ?? false
  const missing = estimate?.missingKeys ?? []
  return (
    <>
      {passedOver && passedOver.missingKeys.length > 0 && (
        <p className="model-notice">
          Your default preset “{passedOver.name}” is not used. {keyWords(passedOver.missingKeys)}
        </p>
      )}
      {missing.length > 0 && (
        <p className="model-notice" role="alert">
          {keyWords(missing)} <a href="#/keys">Add a key</a>
          <button type="button" className="small" id="use-other-models" onClick={reset}>
            {simulatedPanel ? 'Use simulated models' : 'Use the default models'}
          </button>
        </p>
      )}
      {estimate?.simulated && (
        <div className="model-notice">
          <span>
            <strong>Simulated models</strong> will answer: free, offline, and no substitute for real ones.
          </span>
          {simulatedPanel && (
            <details>
              <summary>Use real models</summary>
              Add a key for OpenRouter, OpenAI or Anthropic, a local Ollama, or an endpoint of your own under{' '}
              <a href="#/keys">Keys</a>. <code>moot doctor</code> checks the setup.
            </details>
          )}
        </div>
      )}
    </>
  )
}

const keyWords = (keys: RunEstimate['missingKeys']) =>
  keys
    .map(({ provider, models, variable }) => {
      const article = /^[aeiou]/i.test(provider) ? 'an' : 'a'
      const who = models.length === 1 ? `${models[0]} needs` : 'These models need'
      return `${who} ${article} ${provider} key (${variable}).`
    })
    .join(' ')
