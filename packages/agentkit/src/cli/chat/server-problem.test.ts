import { expect, it } from 'vitest'
import { boundedText, problemOf } from './server-problem.ts'

function endless(): { body: ReadableStream<Uint8Array>; sent(): number } {
  const chunk = new TextEncoder().encode('x'.repeat(1_000_000))
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent++
      controller.enqueue(chunk)
      if (sent === 20) controller.close()
    },
  })
  return { body, sent: () => sent }
}

it('reads no answer of a server without an end', async () => {
  const { body, sent } = endless()
  await expect(boundedText(new Response(body))).rejects.toThrow('The answer of the server is too large.')
  expect(sent()).toBeLessThan(20)
})

it('reads no refusal without an end either', async () => {
  const { body, sent } = endless()
  const problem = await problemOf(new Response(body, { status: 500 }), 'http://127.0.0.1:1')
  expect(problem.message).toBe('http://127.0.0.1:1 answers with 500. Is it an agentkit server?')
  expect(sent()).toBeLessThan(20)
})
