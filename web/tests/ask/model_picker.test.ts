import { describe, expect, it } from 'vitest'
import type { ModelInfo } from '../../src/api/wire'
import { byAuthor, context, matching, price } from '../../src/ask/model_picker'

const model = (id: string, more: Partial<ModelInfo> = {}): ModelInfo => ({
  id,
  provider: 'openrouter',
  ...more,
})

describe('a model in words', () => {
  it.each([
    [model('a/b', { promptPrice: 3, completionPrice: 15 }), '$3 in · $15 out'],
    [model('a/b', { promptPrice: 0.075, completionPrice: 0.3 }), '$0.075 in · $0.3 out'],
    [
      model('a/b', { promptPrice: 1, completionPrice: 1, requestPrice: 0.005 }),
      '$1 in · $1 out + $0.005 a call',
    ],
    [model('a/b', { promptPrice: 0, completionPrice: 0 }), 'free'],
    [model('a/b'), 'price not known'],
    [model('sim/ada', { provider: 'sim' }), 'simulated'],
  ])('%j costs %s', (one, words) => expect(price(one)).toBe(words))

  it.each([
    [128_000, '128k'],
    [1_048_576, '1M'],
    [2_500_000, '2.5M'],
    [null, ''],
  ])('%s tokens of context are %s', (length, words) =>
    expect(context(model('a/b', { contextLength: length }))).toBe(words),
  )
})

describe('the search', () => {
  const models = [
    model('openai/o3', { name: 'OpenAI: o3', promptPrice: 2, completionPrice: 8 }),
    model('google/gemini-2.5-pro', { name: 'Gemini Pro' }),
    model('google/gemma-3', { promptPrice: 0, completionPrice: 0 }),
    model('sim/ada', { provider: 'sim' }),
  ]
  it.each([
    ['', 4],
    ['  ', 4],
    ['GEM', 2],
    ['gem pro', 1],
    ['pro gem', 1],
    ['free', 1],
    ['nobody', 0],
  ])('for %j finds %i', (words, count) => expect(matching(models, words)).toHaveLength(count))

  it('keeps those of one author together, in the order of the list', () => {
    const mixed = [models[1]!, models[0]!, models[2]!, models[3]!]
    expect(byAuthor(mixed).map((group) => [group.title, group.models.map((one) => one.id)])).toEqual([
      ['google · via openrouter', ['google/gemini-2.5-pro', 'google/gemma-3']],
      ['openai · via openrouter', ['openai/o3']],
      ['sim', ['sim/ada']],
    ])
  })
})
