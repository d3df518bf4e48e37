// The Vercel AI SDK at a moot: node clients/ai_sdk.mjs http://127.0.0.1:8765
import { createRequire } from 'node:module'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { Output, generateText, jsonSchema, streamText } from 'ai'

const url = process.argv[2]
const moot = createOpenAICompatible({
  name: 'moot',
  baseURL: `${url}/v1`,
  apiKey: 'none',
  supportsStructuredOutputs: true,
})
const ask = (name) => ({ model: moot(`moot/${name}`), prompt: 'Tabs or spaces?', maxRetries: 0 })
let wrong = 0

console.log(`ai-sdk\tversion\tyes\t${createRequire(import.meta.url)('ai/package.json').version}\t`)

async function check(what, work) {
  let said
  try {
    said = await work()
  } catch (error) {
    said = String(error)
  }
  if (said !== true) wrong = 1
  console.log(`ai-sdk\t${what}\t${said === true ? 'yes' : 'NO'}\t${said === true ? '' : String(said).slice(0, 160)}\t`)
}

async function failure(preset, status) {
  try {
    await generateText(ask(preset))
  } catch (error) {
    return error.statusCode === status || `${error.statusCode}: ${error}`
  }
  return 'no error'
}

async function streamed(name, options = {}) {
  let text = '', reasoning = '', error
  const result = streamText({ ...ask(name), onError: (event) => { error = event.error }, ...options })
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'reasoning-delta') reasoning += part.text
  }
  return { text, reasoning, error }
}

for (const mode of ['vote', 'council', 'debate']) {
  await check(`${mode}, whole`, async () => {
    const { text, reasoningText } = await generateText(ask(mode))
    return (text.includes('Tabs') && reasoningText.includes('###')) || text
  })
  await check(`${mode}, streamed`, async () => {
    const { text, reasoning } = await streamed(mode)
    return (text.includes('Tabs') && reasoning.includes('###')) || text
  })
}
await check('stops', async () => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 300)
  await streamed('slow', { abortSignal: stop.signal })
  for (let i = 0; i < 50; i++) {
    const { runs } = await (await fetch(`${url}/api/runs?limit=1`)).json()
    if (runs[0].status === 'cancelled') return true
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return 'the run goes on'
})
const faults = [['fails-401', 401], ['fails-402', 402], ['fails-429', 429], ['fails-hang', 504]]
for (const [preset, status] of faults) {
  const name = status === 504 ? 'timeout (504)' : `${status}`
  const words = status === 504 ? 'did not answer' : `scripted ${status}`
  await check(name, () => failure(preset, status))
  await check(`${name}, streamed`, async () => {
    const { error } = await streamed(preset)
    return JSON.stringify(error ?? '', Object.getOwnPropertyNames(error ?? {})).includes(words) || JSON.stringify(error)
  })
}
const degraded = (text) => text.includes('This answer is degraded') || text
await check('failed seat', async () => degraded((await generateText(ask('seat-fails'))).text))
await check('failed seat, streamed', async () => degraded((await streamed('seat-fails')).text))
await check('JSON schema', async () => {
  const schema = jsonSchema({ type: 'object', properties: { choice: { enum: ['tabs', 'spaces'] } }, required: ['choice'] })
  const { output } = await generateText({ ...ask('vote'), output: Output.object({ schema }) })
  return output.choice === 'tabs' || JSON.stringify(output)
})
process.exit(wrong)
