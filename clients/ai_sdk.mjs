// The Vercel AI SDK at a moot: node clients/ai_sdk.mjs http://127.0.0.1:8765
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'

const url = process.argv[2]
const moot = createOpenAICompatible({ name: 'moot', baseURL: `${url}/v1`, apiKey: 'none' })
const ask = (name) => ({ model: moot(`moot/${name}`), prompt: 'Tabs or spaces?', maxRetries: 0 })
let wrong = 0

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
for (const [preset, status] of [['fails-401', 401], ['fails-402', 402], ['fails-429', 429]]) {
  await check(`${status}`, () => failure(preset, status))
  await check(`${status}, streamed`, async () => {
    const { error } = await streamed(preset)
    return JSON.stringify(error ?? '', Object.getOwnPropertyNames(error ?? {})).includes(`scripted ${status}`) || JSON.stringify(error)
  })
}
await check('timeout (504)', () => failure('fails-hang', 504))
await check('failed seat said', async () => {
  const { text } = await generateText(ask('seat-fails'))
  return text.includes('This answer is degraded') || text
})
process.exit(wrong)
