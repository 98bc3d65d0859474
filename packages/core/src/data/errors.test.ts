import { runInNewContext } from 'node:vm'
import { afterEach, expect, it, vi } from 'vitest'
import {
  AgentKitError,
  abortError,
  assertNever,
  type ErrorCode,
  type ErrorDetails,
  errorOfRun,
  isAgentKitError,
  messageOf,
  toErrorInfo,
} from './errors.ts'

afterEach(() => void vi.resetModules())

it('is an Error with a code, a message and a cause', () => {
  const cause = new Error('socket hang up')
  const error = new AgentKitError('network', 'No connection.', { cause, retryable: true, retryAfterMs: 5 })
  expect(error).toBeInstanceOf(Error)
  expect(error).toMatchObject({ name: 'AgentKitError', code: 'network', retryable: true, retryAfterMs: 5, cause })
  expect(String(error)).toBe('AgentKitError: No connection.')
})

it('has its message as JSON, but neither its cause nor its stack', () => {
  const cause = Object.assign(new Error('x'.repeat(1_000_000)), { key: 'hunter2' })
  const usage = { inputTokens: 1 }
  const error = new AgentKitError('rate-limit', 'Too fast.', {
    cause,
    provider: 'acme',
    status: 429,
    runId: 'r',
    usage,
  })
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: {
      ...{ name: 'AgentKitError', code: 'rate-limit', message: 'Too fast.', retryable: true },
      ...{ provider: 'acme', status: 429, runId: 'r', usage },
    },
  })
  expect(structuredClone(error)).toMatchObject({ message: 'Too fast.' })
})

it('keeps the beginning of a long message, which may quote input from outside', () => {
  const { message } = new AgentKitError('invalid-argument', `No agent has the name "${'x'.repeat(1_000_000)}".`)
  expect(message).toHaveLength(16_385)
  expect(message).toMatch(/^No agent has the name "x+…$/)
})

it('cuts no character of its message in half', () => {
  const { message } = new AgentKitError('storage', `${'x'.repeat(16_383)}😀😀`)
  expect(message).toBe(`${'x'.repeat(16_383)}…`)
})

it.each<[ErrorCode, ErrorDetails, boolean]>([
  ['network', {}, true],
  ['timeout', { phase: 'idle' }, true],
  ['timeout', { phase: 'tool' }, false],
  ['rate-limit', {}, true],
  ['overloaded', {}, true],
  ['incomplete-stream', {}, true],
  ['malformed-stream', {}, true],
  ['provider-error', {}, false],
  ['provider-error', { status: 400 }, false],
  ['provider-error', { status: 409 }, true],
  ['provider-error', { status: 500 }, true],
  ['quota', { status: 429 }, false],
  ['auth', {}, false],
  ['network', { retryable: false }, false],
  ['auth', { retryable: true }, true],
])('%s with %j is retryable by default: %s', (code, details, retryable) => {
  expect(new AgentKitError(code, 'x', details).retryable).toBe(retryable)
})

it('is not retryable by default, and has a cause only if it is given one', () => {
  const error = new AgentKitError('auth', 'Wrong key.')
  expect(error.retryable).toBe(false)
  expect(Object.hasOwn(error, 'cause')).toBe(false)
})

it('is recognized by its brand, also when another copy of the package created it', async () => {
  vi.resetModules()
  const copy = await import('./errors.ts')
  const theirs = new copy.AgentKitError('quota', 'Spent.')
  expect(copy.AgentKitError).not.toBe(AgentKitError)
  expect(theirs).not.toBeInstanceOf(AgentKitError)
  expect(isAgentKitError(theirs)).toBe(true)
  expect(copy.isAgentKitError(new AgentKitError('quota', 'Spent.'))).toBe(true)
})

it.each([new Error('plain'), { code: 'quota', message: 'x', name: 'AgentKitError' }, 'quota', undefined, null])(
  'is not anything else: %s',
  (value) => expect(isAgentKitError(value)).toBe(false),
)

it('has no enumerable brand, so that it can be compared and copied', () => {
  const error = new AgentKitError('quota', 'Spent.')
  expect(Reflect.ownKeys({ ...error })).toEqual(['name', 'code', 'retryable'])
})

it('adds the run to a copy, and leaves a shared error unchanged', () => {
  const cause = new Error('deep')
  const shared = Object.freeze(new AgentKitError('overloaded', 'Busy.', { cause, status: 503, provider: 'test' }))
  const usage = { inputTokens: 3 }
  const copy = errorOfRun(shared, { runId: 'run_1', usage })
  expect(copy).toMatchObject({ code: 'overloaded', message: 'Busy.', status: 503, cause, runId: 'run_1', usage })
  expect(copy.stack).toBe(shared.stack)
  expect(shared.runId).toBeUndefined()
})

it('becomes plain JSON with its details, and without its cause, run or stack', () => {
  const error = new AgentKitError('rate-limit', 'Slow down.', {
    cause: new Error('raw'),
    retryable: true,
    retryAfterMs: 1,
    provider: 'p',
    model: 'm',
    status: 429,
    requestId: 'r',
    runId: 'run_1',
    usage: {},
  })
  expect(toErrorInfo(error)).toEqual({
    code: 'rate-limit',
    message: 'Slow down.',
    retryable: true,
    retryAfterMs: 1,
    provider: 'p',
    model: 'm',
    status: 429,
    requestId: 'r',
  })
  expect(toErrorInfo(new AgentKitError('timeout', 'Late.', { phase: 'idle' }))).toEqual({
    code: 'timeout',
    message: 'Late.',
    retryable: true,
    phase: 'idle',
  })
})

const given = new AgentKitError('budget', 'Spent.')
it.each<[string, AbortSignal, object]>([
  ['an abort', AbortSignal.abort(), { code: 'aborted' }],
  ['a timeout', AbortSignal.abort(new DOMException('late', 'TimeoutError')), { code: 'timeout', phase: 'run' }],
  ['a reason', AbortSignal.abort('enough'), { code: 'aborted', cause: 'enough' }],
  ['an AgentKitError', AbortSignal.abort(given), given],
])('is the error of an aborted signal: %s', (_name, signal, expected) => {
  expect(abortError(signal)).toMatchObject(expected)
  expect(abortError(signal)).not.toHaveProperty('provider')
  const callee = { provider: 'acme', model: 'small' }
  expect(abortError(signal, callee)).toMatchObject(expected === given ? given : { ...expected, ...callee })
})

it.each<[string, unknown, string]>([
  ['an error', new Error('no'), 'no'],
  ['an error without a message', new RangeError(), 'RangeError'],
  ['a string', 'no', 'no'],
  ['undefined', undefined, ''],
  ['an object', {}, ''],
  ['an object with a message', { code: 'PGRST116', message: 'no rows' }, 'no rows'],
  ['an object whose message is not text', { message: 7 }, ''],
  ['an error of another realm', runInNewContext("new TypeError('no')"), 'no'],
  ['an object without a prototype', Object.create(null), ''],
  ['a symbol', Symbol('no'), ''],
  [
    'a failed fetch',
    failedFetch(new Error('connect ECONNREFUSED 127.0.0.1:9')),
    'fetch failed: connect ECONNREFUSED 127.0.0.1:9',
  ],
  ['one of two addresses', failedFetch(refused()), 'fetch failed: connect ECONNREFUSED ::1:9'],
  ['a failed fetch without a cause', new TypeError('fetch failed'), 'fetch failed'],
  ['a failed connection to two addresses', refused(), 'connect ECONNREFUSED ::1:9'],
  ['an error with a message and a cause', new Error('no', { cause: new Error('inner') }), 'no'],
  ['an error that is its own cause', ownCause(), 'Error'],
  ['an error whose message is not text', Object.assign(new Error(), { message: { text: 'no' } }), ''],
  [
    'an error whose message throws',
    Object.defineProperty(new Error(), 'message', {
      get() {
        throw new Error('never')
      },
    }),
    '',
  ],
])('reads the message of any thrown value: %s', (_name, thrown, text) => expect(messageOf(thrown)).toBe(text))

it('is thrown for a value that no case of a switch handles', () => {
  expect(() => assertNever({ type: 'new' } as never)).toThrow('Unexpected {"type":"new"}')
})

function failedFetch(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** What `net.connect` gives for `localhost`. */
function refused(): AggregateError {
  return new AggregateError(['::1', '127.0.0.1'].map((host) => new Error(`connect ECONNREFUSED ${host}:9`)))
}

function ownCause(): Error {
  const error = new Error()
  error.cause = error
  return error
}
