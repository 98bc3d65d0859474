import { type AddressInfo, connect, createServer } from 'node:net'
import { serve } from '@agentkit/server'
import { scriptedModel } from '@agentkit/testing'
import { expect, it, onTestFinished } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

/** A proxy that passes the second question to its server, and closes the connection before the answer. */
async function proxyTo(port: number): Promise<{ url: string; questions(): number }> {
  let questions = 0
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.on('data', (bytes) => {
      if (bytes.includes('POST /api/v1/chat_stream') && ++questions === 2) {
        server.removeAllListeners('data')
        server.once('data', () => client.resetAndDestroy())
      }
      server.write(bytes)
    })
    server.on('data', (bytes) => client.write(bytes))
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void proxy.close())
  const { port: own } = proxy.address() as AddressInfo // of a TCP server
  return { url: `http://127.0.0.1:${own}`, questions: () => questions }
}

describeInBrowser('a question that is sent twice', () => {
  it('by the browser, which repeats what a closed connection has not answered, is asked once', async () => {
    const model = scriptedModel(['One.', 'Two.', 'Three.'])
    const server = await serve(keeper([], { model }), { port: 0, log: () => {} })
    onTestFinished(() => server.close())
    const { url, questions } = await proxyTo(Number(new URL(server.url).port))
    const { page, ask, said, settled, allowed } = await openPage(keeper([]), { server: { ...server, url } })
    // The second of both, where the first is not done.
    allowed.push(/409/)
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await ask('Second?')
    await said('Two.').waitFor()
    await settled()
    expect([questions(), model.requests.length]).toEqual([3, 2])
    await page.reload()
    await said('Two.').waitFor()
    expect(await page.locator('section.turn').count()).toBe(2)
  })

  it.each([
    ['is answered by then', true, 0],
    ['is running', false, 0],
    ['is lost by a proxy', false, 502],
  ])('by the reader, who sees no answer, is asked once: it %s', async (_, isAnswered, status) => {
    const first = held('Here it is.')
    const model = scriptedModel([first.turn, 'Twice.'])
    const { page, ask, said, settled, button, allowed } = await openPage(keeper([], { model }))
    allowed.push(/ERR_FAILED|409|502/)
    await page.route('**/chat_stream', async (route) => {
      const answer = route.fetch()
      await first.asked
      if (isAnswered) {
        first.release()
        await answer
      } else answer.catch(() => {})
      await (status ? route.fulfill({ status, body: 'Bad Gateway' }) : route.abort())
    })
    await ask('What is it?')
    await page.getByRole('alert').waitFor()
    await page.unroute('**/chat_stream')
    await button('Edit').click()
    await button('Send again').click()
    if (!isAnswered) await button('Stop').waitFor()
    first.release()
    await said('Here it is.').waitFor()
    await settled()
    expect([model.requests.length, await page.locator('section.turn').count()]).toEqual([1, 1])
    expect(await page.getByRole('alert').count()).toBe(0)
    await button('Regenerate').click()
    await said('Twice.').waitFor()
  })
})
