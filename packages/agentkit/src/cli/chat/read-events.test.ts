import { expect, it, vi } from 'vitest'
import { readEvents } from './read-events.ts'

it('reads no event without an end', async () => {
  const chunk = new TextEncoder().encode('x'.repeat(1_000_000))
  let sent = 0
  const body = new ReadableStream({
    pull(controller) {
      sent++
      controller.enqueue(chunk)
      if (sent === 20) controller.close()
    },
  })
  const events = readEvents(new Response(body), new AbortController().signal)
  await expect(events.next()).rejects.toThrow('An event of the server is too large.')
  expect(sent).toBeLessThan(20)
})

it('reports that the connection was lost, and passes an abort on', async () => {
  const broken = (): Response =>
    new Response(new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) }))
  const lost = readEvents(broken(), new AbortController().signal)
  await expect(lost.next()).rejects.toThrow('The connection was lost before the answer was complete.')
  const stopped = readEvents(broken(), AbortSignal.abort())
  await expect(stopped.next()).rejects.toThrow('terminated')
})

async function readAll(response: Response): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of readEvents(response, new AbortController().signal)) events.push(event)
  return events
}

/** A stream of this text in pieces of this length. */
function inPieces(text: string, length: number): Response {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + length))
      at += length
    },
  })
  return new Response(body)
}

const eventOf = (seq: number, text: string) => ({ type: 'text-delta', seq, runId: 'run', path: [], text })
const frameOf = (event: object) => `id: 1\ndata: ${JSON.stringify(event)}\n\n`

it.each([1, 2, 3, 5, 7, 1_000])('reads events in pieces of %i bytes', async (length) => {
  const events = [eventOf(1, 'a'), eventOf(2, 'ü\n\n'), eventOf(3, '')]
  const stream = `retry: 2000\n\n: keep-alive\n\n${events.map(frameOf).join('\n')}data: {"type"`
  expect(await readAll(inPieces(stream, length))).toEqual(events)
})

it('reads each piece of a long event once', async () => {
  let characters = 0
  for (const method of ['split', 'indexOf'] as const) {
    const original = String.prototype[method] as (...args: unknown[]) => never
    vi.spyOn(String.prototype, method).mockImplementation(function (this: string, ...args: unknown[]) {
      characters += this.length
      return original.apply(this, args)
    })
  }
  const events = [eventOf(1, 'x'.repeat(100_000))]
  const found = await readAll(inPieces(events.map(frameOf).join(''), 100)).finally(() => vi.restoreAllMocks())
  expect(found).toEqual(events)
  expect(characters).toBeLessThan(1_000_000)
})
