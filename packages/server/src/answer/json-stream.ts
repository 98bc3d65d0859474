/** Texts up to this number of characters are sent whole. */
const wholeLength = 64 * 1024

/**
 * A JSON answer whose text is made while it is sent, so that a long one is never in memory as a whole.
 *
 * @param pieces the text; it is read as fast as the client reads
 * @param onFailure called with what `pieces` throws after the status was sent: the connection then breaks off
 * @throws what `pieces` throws before that
 */
export async function jsonStream(
  pieces: AsyncGenerator<string, void>,
  { headers, onFailure }: { headers: Record<string, string>; onFailure: (error: unknown) => void },
): Promise<Response> {
  const init = { headers: { ...headers, 'content-type': 'application/json' } }
  let start = ''
  while (start.length < wholeLength) {
    const next = await pieces.next()
    if (next.done) return new Response(start, init)
    start += next.value
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(start)),
    async pull(controller) {
      try {
        const next = await pieces.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      } catch (error) {
        onFailure(error)
        controller.error(new Error('The answer could not be completed.'))
      }
    },
    async cancel() {
      await pieces.return()
    },
  })
  return new Response(body, init)
}
