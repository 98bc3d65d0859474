import { expect, it } from 'vitest'
import { AgentKitError } from '../../data/errors.ts'
import { classifyForeignError } from './foreign-error.ts'

const withField = (name: string, value: unknown): Error => Object.assign(new Error('It failed.'), { [name]: value })
const fetchFailed = new TypeError('fetch failed', { cause: withField('code', 'ECONNRESET') })

it.each<[string, unknown, string, boolean]>([
  ['a connection that fetch lost', fetchFailed, 'network', true],
  ['a connection that broke in the middle', new TypeError('terminated'), 'network', true],
  ['a host that is not found', withField('code', 'ENOTFOUND'), 'network', true],
  ['a timeout of fetch', new DOMException('Too late.', 'TimeoutError'), 'timeout', true],
  ['a certificate that is not trusted', withField('code', 'CERT_HAS_EXPIRED'), 'network', false],
  ["Node's timeout for the body", withField('code', 'UND_ERR_BODY_TIMEOUT'), 'timeout', true],
  ['429 of an SDK', withField('status', 429), 'rate-limit', true],
  ['a quota that is used up', Object.assign(withField('status', 429), { code: 'insufficient_quota' }), 'quota', false],
  ['408', withField('status', 408), 'timeout', true],
  ['409', withField('status', 409), 'provider-error', true],
  ['500', withField('statusCode', 500), 'provider-error', true],
  ['503', withField('status', 503), 'overloaded', true],
  ['529', withField('status', 529), 'overloaded', true],
  ['401', withField('status', 401), 'auth', false],
  ['400', withField('status', 400), 'provider-error', false],
  ['a mistake in the code', new TypeError('x is not a function'), 'provider-error', false],
  ['an invalid status', withField('status', 'bad'), 'provider-error', false],
  ['a value that is not an error', 'down', 'provider-error', false],
])('classifies %s', (_name, thrown, code, retryable) => {
  const failure = classifyForeignError(thrown)
  expect(failure.code).toBe(code)
  expect(new AgentKitError(failure.code, 'x', failure.details).retryable).toBe(retryable)
})
