import type { AgentEvent } from '@agentkit/core'
import { expect, it, vi } from 'vitest'
import { readEvents } from './read-events.ts'

async function readAll(response: Response): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  await readEvents(response, (event) => void events.push(event))
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
