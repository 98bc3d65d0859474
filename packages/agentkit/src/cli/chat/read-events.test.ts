import { expect, it } from 'vitest'
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
