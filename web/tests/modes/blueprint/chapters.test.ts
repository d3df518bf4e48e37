import { expect, test } from 'vitest'
import { chaptersOf } from '../../../src/modes/blueprint/chapters'

test('a document is cut at its second headings, and not within code', () => {
  const text = [
    '# The plan',
    '',
    '## Executive Summary',
    'Short.',
    '## Table of Contents',
    '- 1',
    '## Section 1: Begin',
    '```md',
    '## Section 9: not one',
    '```',
    '### Deeper',
    '## An aside',
    'More.',
    '## Section 2: End',
    'Done.',
    '## Open Points',
    '- [TODO: all]',
  ].join('\n')
  const { title, chapters } = chaptersOf(text)
  expect(title).toBe('The plan')
  expect(chapters.map((one) => [one.heading, one.section])).toEqual([
    ['Executive Summary', null],
    ['Section 1: Begin', 1],
    ['An aside', 1],
    ['Section 2: End', 2],
    ['Open Points', null],
  ])
  expect(chapters[1]!.text).toContain('## Section 9: not one')
})

test('a text without headings is one chapter, an empty one none', () => {
  expect(chaptersOf('Just so.').chapters.map((one) => one.text.trim())).toEqual(['Just so.'])
  expect(chaptersOf('').chapters).toEqual([])
})
