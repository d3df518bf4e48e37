import { expect, it } from 'vitest'
import { safeUrl } from '../../src/ui/safe_url'

it.each([
  ['https://example.org/a', 'example.org'],
  ['http://example.org:8080/', 'example.org:8080'],
  ['mailto:a@example.org', ''],
])('one may be sent to %s', (href, host) => expect(safeUrl(href)?.host).toBe(host))

it.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc',
  '/relative',
  '//host',
  'http://a@b/',
  '',
])('one may not be sent to %s', (href) => expect(safeUrl(href)).toBeNull())
