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
