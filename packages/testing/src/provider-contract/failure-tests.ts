import { inspect } from 'node:util'
import type { ErrorCode } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { fakeProvider } from '../fake-provider/fake-provider.ts'
import type { FakeStatus, FakeTurn, StreamFault } from '../fake-provider/wires/script.ts'
import { answering } from './answering.ts'
import { ask, askServer, type Subject, testKey } from './provider-under-test.ts'

const text = 'Grüße, 世界 👋'

type Expected = { code: ErrorCode; retryable: boolean; status?: number; phase?: string }

const statuses: [FakeStatus, Expected][] = [
  [{ status: 400 }, { code: 'bad-request', retryable: false }],
  [{ status: 401 }, { code: 'auth', retryable: false }],
  [{ status: 403 }, { code: 'auth', retryable: false }],
  [{ status: 404 }, { code: 'model-not-found', retryable: false }],
  [{ status: 429 }, { code: 'rate-limit', retryable: true }],
  [{ status: 500 }, { code: 'provider-error', retryable: true }],
  [
    { status: 502, body: '<html>Bad gateway</html>' },
    { code: 'provider-error', retryable: true },
  ],
  [{ status: 503 }, { code: 'overloaded', retryable: true }],
  [{ status: 529 }, { code: 'overloaded', retryable: true }],
]

const faults: [StreamFault, ErrorCode[]][] = [
  ['cut', ['network']],
  ['early-eof', ['incomplete-stream']],
  ['eof-in-frame', ['incomplete-stream']],
  ['garbage-frame', ['malformed-stream']],
  ['error-frame', ['provider-error', 'overloaded']],
  ['flat-error-frame', ['provider-error', 'overloaded']],
  // Groq's error for a call that it cannot parse.
  ['failed', ['provider-error', 'overloaded', 'invalid-tool-call']],
]

/** Context overflow errors of each provider (Q16). */
const overflows = [
  'prompt is too long: 210000 tokens > 200000 maximum',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'Please reduce the length of the messages or completion.',
  'the input length exceeds the context length',
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
]

/** Each fault has its code, ends the call, and closes the socket. */
export function failureTests(subject: Subject): void {
  describe('a failure', () => {
    it.each(statuses)('of %o has its code', async (failure, expected) => {
      const { error, events, requests } = await ask(subject, failure)
      expect(error).toMatchObject({ ...expected, status: failure.status, model: subject.models.usual })
      expect(error?.provider).toBe(subject.makeProvider({ url: 'http://127.0.0.1:1', apiKey: 'k' }).id)
      expect(events).toEqual([])
      // One attempt: core does the retries (Q15).
      expect(requests).toHaveLength(1)
    })

    it.each(overflows)('for a prompt that is too long is a context overflow: %s (Q16)', async (message) => {
      const { error } = await ask(subject, { status: 400, code: null, message })
      expect(error).toMatchObject({ code: 'context-overflow', retryable: false })
    })

    it('in the middle of an answer has the request id, like one before the answer (Q22)', async () => {
      const { error: before } = await ask(subject, { status: 500 })
      for (const fault of ['error-frame', 'early-eof', 'cut', 'hang'] as const) {
        const { error } = await ask(subject, { text, fault }, { idleTimeoutMs: 40 })
        expect(error?.requestId === undefined, fault).toBe(before?.requestId === undefined)
      }
    })

    it('reports how long to wait (Q15, Q65)', async () => {
      const { error } = await ask(subject, { status: 429, retryAfter: 7 })
      expect(error).toMatchObject({ code: 'rate-limit', retryAfterMs: 7000 })
    })

    it('contains no key, whatever the server sends (Q22)', async () => {
      const leaks: FakeTurn[] = [
        { status: 401, message: `The key ${testKey} is not valid.` },
        { status: 500, body: `key=${testKey}` },
        { status: 400, headers: { 'x-echo': testKey }, message: `{"authorization":"Bearer ${testKey}"}` },
      ]
      for (const leak of leaks) {
        const { error } = await ask(subject, leak)
        expect(error).toBeDefined()
        expect(inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error)).not.toContain(testKey)
      }
    })

    it('contains what the server sent, cut at 4 kB (Q22)', async () => {
      const { error } = await ask(subject, { status: 500, body: 'x'.repeat(100_000) })
      expect(error?.message.length).toBeLessThan(1000)
      expect(JSON.stringify(error?.cause)).toContain('xxxx')
      expect(JSON.stringify(error?.cause).length).toBeLessThan(4500)
    })

    it.each<[object, ErrorCode]>([
      [{ error: { message: 'The tap is closed.' } }, 'provider-error'],
      [{ error: 'The tap is closed.' }, 'provider-error'],
      [{ message: 'The tap is closed.' }, 'provider-error'],
      [{ message: 'The tap is closed.', code: 429 }, 'rate-limit'],
      [{ detail: 'The tap is closed.' }, 'provider-error'],
    ])('under the status of a success is what it says: %o (Q14)', async (body, code) => {
      await using server = await answering((response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
      const { error } = await askServer(subject, server.url)
      expect(error).toMatchObject({ code, retryable: true, message: expect.stringContaining('The tap is closed.') })
    })

    it.each(faults)('in the middle of an answer ends it: %s (Q10, Q14, Q37, Q49, Q73, Q74)', async (fault, codes) => {
      const { error, finish, text: received, requests } = await ask(subject, { text, fault, usage: null })
      expect(codes).toContain(error?.code)
      // The model has to fix a call with invalid JSON: a retry would not help.
      expect(error?.retryable).toBe(error?.code !== 'invalid-tool-call')
      expect(finish).toBeUndefined()
      // Earlier deltas were emitted.
      expect(text.startsWith(received)).toBe(true)
      expect(received).not.toBe('')
      expect(requests).toHaveLength(1)
    })

    it.each<[FakeTurn, ErrorCode]>([
      [{ fault: 'reset' }, 'network'],
      [{ fault: 'html' }, 'malformed-stream'],
    ])('before the answer ends it: %o', async (fault, code) => {
      expect((await ask(subject, fault)).error).toMatchObject({ code, retryable: true })
    })

    it('of a kept-alive connection ends it: one stream is one request (Q15)', async () => {
      await using server = await fakeProvider(subject.wire, [{ text }, { fault: 'reset' }, { text }])
      expect((await askServer(subject, server.url)).error).toBeUndefined()
      expect((await askServer(subject, server.url)).error).toMatchObject({ code: 'network', retryable: true })
      expect(server.requests).toHaveLength(2)
    })

    it('to answer at all is a timeout, and closes the socket', async () => {
      const askFor = (firstByteTimeoutMs: number) =>
        ask(subject, { fault: 'hang-before-headers' }, { firstByteTimeoutMs })
      let outcome = await askFor(40)
      // A busy machine may not have sent the request yet.
      for (let ms = 160; outcome.requests.length === 0 && ms < 20_000; ms *= 4) outcome = await askFor(ms)
      const { error, requests } = outcome
      expect(error).toMatchObject({ code: 'timeout', phase: 'first-byte', retryable: true })
      expect(requests).toMatchObject([{ aborted: true }])
    })

    it('to continue is a timeout, and closes the socket (Q13)', async () => {
      const { error, requests, text: received } = await ask(subject, { text, fault: 'hang' }, { idleTimeoutMs: 40 })
      expect(error).toMatchObject({ code: 'timeout', phase: 'idle', retryable: true })
      expect(received).not.toBe('')
      expect(requests).toMatchObject([{ aborted: true }])
    })

    it('to connect is a network error', async () => {
      const server = await fakeProvider(subject.wire)
      await server.close()
      expect((await askServer(subject, server.url)).error).toMatchObject({ code: 'network', retryable: true })
    })
  })

  describe('an abort', () => {
    /** The error names provider and model, like every other one. */
    const aborted = () => ({
      code: 'aborted',
      retryable: false,
      provider: subject.makeProvider({ url: 'http://127.0.0.1:1', apiKey: 'k' }).id,
      model: subject.models.usual,
    })

    it('before the call sends no request', async () => {
      const { error, requests } = await ask(subject, 'Hello', { signal: AbortSignal.abort() })
      expect(error).toMatchObject(aborted())
      expect(requests).toEqual([])
    })

    it.each<[string, FakeTurn]>([
      ['before the headers', { fault: 'hang-before-headers' }],
      ['in the middle of an answer (Q11)', { text, fault: 'hang' }],
    ])('%s ends the call and closes the socket', async (_when, turn) => {
      const controller = new AbortController()
      const script = (): FakeTurn => {
        setTimeout(() => controller.abort(), 30)
        return turn
      }
      const { error, finish, requests } = await ask(subject, script, { signal: controller.signal })
      expect(error).toMatchObject(aborted())
      expect(finish).toBeUndefined()
      expect(requests).toMatchObject([{ aborted: true }])
    })

    it('in the middle of a burst ends the call, although all of it has arrived (Q11)', async () => {
      const controller = new AbortController()
      const { error, finish, events } = await ask(
        subject,
        { text, deltas: 8 },
        {
          signal: controller.signal,
          onEvent: () => {
            controller.abort()
            return true
          },
        },
      )
      expect(error).toMatchObject(aborted())
      expect(finish).toBeUndefined()
      expect(events).toHaveLength(1)
    })

    it('by a signal that times out is a timeout', async () => {
      const { error } = await ask(subject, { text, fault: 'hang' }, { signal: AbortSignal.timeout(40) })
      expect(error).toMatchObject({ ...aborted(), code: 'timeout', retryable: expect.any(Boolean) })
    })

    it('of a reader that leaves closes the socket (Q12)', async () => {
      const { events, requests } = await ask(subject, { text, fault: 'hang' }, { onEvent: () => false })
      expect(events).toHaveLength(1)
      expect(requests).toMatchObject([{ aborted: true }])
    })

    it('after the answer changes nothing', async () => {
      const controller = new AbortController()
      const { error, finish } = await ask(
        subject,
        { text },
        {
          signal: controller.signal,
          onEvent: ({ type }) => {
            if (type === 'finish') controller.abort()
            return true
          },
        },
      )
      expect(error).toBeUndefined()
      expect(finish?.reason).toBe('stop')
    })
  })
}
