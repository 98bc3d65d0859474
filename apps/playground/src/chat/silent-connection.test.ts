import { type AddressInfo, connect, createServer } from 'node:net'
import { serve } from '@agentkit/server'
import { it, onTestFinished } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

/** A network that forgets its open connections when it is asked to: nothing reports that to their ends. */
async function networkTo(port: number): Promise<{ url: string; forget(): void }> {
  let forgotten = new AbortController()
  const network = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    const { signal } = forgotten
    client.on('data', (bytes) => void (signal.aborted || server.write(bytes)))
    server.on('data', (bytes) => void (signal.aborted || client.write(bytes)))
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => void (signal.aborted || other.destroy()))
    }
    onTestFinished(() => {
      client.destroy()
      server.destroy()
    })
  })
  await new Promise<void>((listening) => network.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void network.close())
  const { port: own } = network.address() as AddressInfo // of a TCP server
  const forget = (): void => {
    forgotten.abort()
    forgotten = new AbortController()
  }
  return { url: `http://127.0.0.1:${own}`, forget }
}

describeInBrowser('a connection that a network has dropped in the middle of an answer', () => {
  it('is opened again, and the answer comes once', async () => {
    const second = held('Here it is.')
    const agent = keeper([{ text: 'Let me look.', toolCalls: [{ name: 'look_up' }] }, second.turn])
    const server = await serve(agent, { port: 0, log: () => {} })
    onTestFinished(() => server.close())
    const { url, forget } = await networkTo(Number(new URL(server.url).port))
    const { page, ask, said, settled } = await openPage(agent, { server: { ...server, url } })
    await page.clock.install()
    await ask('What is it?')
    await said('Let me look.').waitFor()
    await second.asked
    forget()
    second.release()
    // The first request may take a connection that is dropped too.
    for (let tries = 0; tries < 3 && (await said('Here it is.').count()) === 0; tries++) {
      await page.clock.runFor(61_000)
      await said('Here it is.')
        .waitFor({ timeout: 5_000 })
        .catch(() => {})
    }
    await said('Here it is.').waitFor()
    await said('Let me look.').waitFor()
    await settled()
  })
})
