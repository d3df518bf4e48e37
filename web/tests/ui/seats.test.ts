import { describe, expect, test } from 'vitest'
import { lookOf, panelOf } from '../../src/ui/seats'

const MODELS = [
  'openai/o3',
  'openai/gpt-4.1',
  'anthropic/claude-sonnet-4',
  'google/gemini-2.5-pro',
  'x-ai/grok-4',
  'ollama/qwen2.5:7b',
]

describe('what a model looks like', () => {
  test('is the same wherever it sits, and whoever sits beside it', () => {
    for (const model of MODELS) {
      const alone = panelOf([[1, model]]).get(1)
      const among = panelOf([
        [1, 'sim/ada'],
        [2, 'sim/fay'],
        [7, model],
      ]).get(7)
      expect(among?.look.shape).toBe(alone?.look.shape)
      expect(among?.look.colour).toBe(alone?.look.colour)
    }
  })

  test('has the colour of its maker', () => {
    expect(lookOf('openai/gpt-4.1').colour).toBe(lookOf('openai/o3').colour)
    expect(lookOf('openai/o3').colour).not.toBe(lookOf('anthropic/claude-sonnet-4').colour)
  })

  test('differs among the simulated cast in shape and in colour', () => {
    const cast = ['ada', 'bo', 'cleo', 'dov', 'eli', 'fay'].map((name) => lookOf(`sim/${name}`))
    expect(new Set(cast.map((look) => look.shape)).size).toBe(6)
    expect(new Set(cast.map((look) => look.colour)).size).toBe(6)
    expect(lookOf('sim/bo:accuracy=0.4')).toEqual(lookOf('sim/bo'))
  })

  test('is told apart by holes where a model holds several seats', () => {
    const panel = panelOf([
      [3, 'openai/o3'],
      [1, 'openai/o3'],
      [2, 'sim/ada'],
      [4, 'openai/o3'],
    ])
    expect([1, 2, 3, 4].map((seat) => panel.get(seat)?.look.holes)).toEqual([0, 0, 1, 2])
  })
})
