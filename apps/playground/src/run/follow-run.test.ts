import { getEventListeners } from 'node:events'
import { afterAll, expect, it, vi } from 'vitest'

vi.stubGlobal('document', Object.assign(new EventTarget(), { baseURI: 'http://127.0.0.1:8000/', hidden: false }))
const { followRun, pause } = await import('./follow-run.ts')
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const end = 'data: {"type":"run-end","seq":1,"runId":"run_1","path":[]}\n\n'

it('tries a lost connection again, however often one without news was closed before', async () => {
  vi.useFakeTimers()
  // A proxy closes each connection after a while; the run waits for a decision meanwhile.
  const answers: (string | Error)[] = [...Array<string>(60).fill(''), new TypeError('Failed to fetch'), end]
  vi.stubGlobal('fetch', async () => {
    const answer = answers.shift() ?? ''
    if (answer instanceof Error) throw answer
    return new Response(answer)
  })
  let seq = 0
  const lost: boolean[] = []
  const followed = followRun({
    ...{ runId: 'run_1', query: {}, signal: new AbortController().signal },
    lastSeq: () => seq,
    hasEnded: () => seq === 1,
    isWaiting: () => seq === 0,
    onEvent: (event) => {
      seq = event.seq
    },
    onConnection: (isLost) => void lost.push(isLost),
  })
  await Promise.all([expect(followed).resolves.toBeUndefined(), vi.advanceTimersByTimeAsync(600_000)])
  expect(lost.slice(-2)).toEqual([true, false])
})

it('opens a connection again that brings nothing, not even heartbeats, before or after the answer has begun', async () => {
  vi.useFakeTimers()
  const silent = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(': keep-alive\n\n')),
  })
  const answers: ((signal: AbortSignal) => Promise<Response>)[] = [
    async () => new Response(silent),
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    async () => new Response(end),
  ]
  vi.stubGlobal('fetch', (_: URL, { signal }: { signal: AbortSignal }) => answers.shift()?.(signal))
  let seq = 0
  const followed = followRun({
    ...{ runId: 'run_1', query: {}, signal: new AbortController().signal, isWaiting: () => false },
    lastSeq: () => seq,
    hasEnded: () => seq === 1,
    onEvent: (event) => {
      seq = event.seq
    },
    onConnection: () => {},
  })
  await Promise.all([followed, vi.advanceTimersByTimeAsync(180_000)])
  expect([answers.length, seq, vi.getTimerCount()]).toEqual([0, 1, 0])
})

it('leaves no listener at the signal after a pause, of which a run that waits has thousands', async () => {
  vi.useFakeTimers()
  const { signal } = new AbortController()
  for (let times = 0; times < 3; times++) {
    const paused = pause(1_000, signal)
    await vi.advanceTimersByTimeAsync(1_000)
    await paused
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('ends a pause when the signal aborts', async () => {
  vi.useFakeTimers()
  const controller = new AbortController()
  const paused = pause(1_000, controller.signal)
  controller.abort()
  await paused
  expect(vi.getTimerCount()).toBe(0)
})
