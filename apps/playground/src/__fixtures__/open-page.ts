import type { Runnable } from '@agentkit/core'
import { type AgentServer, serve, type ServerOptions } from '@agentkit/server'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished } from 'vitest'
import { findChromium } from './find-chromium.ts'

const executablePath = findChromium()
let browser: Promise<Browser> | undefined

/** Tests that run in a browser. If none is installed, they are skipped, and a line reports it. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (executablePath === undefined) console.log(`No \`chromium\` is installed, so these tests are skipped: ${name}.`)
  describe.skipIf(executablePath === undefined)(name, () => {
    afterAll(async () => {
      await (await browser)?.close()
      browser = undefined
    })
    tests()
  })
}

export type OpenPage = {
  page: Page
  server: AgentServer
  /** Finds the field for messages. */
  message: Locator
  button(name: string | RegExp): Locator
  /** Writes a message and sends it by Enter. */
  ask(text: string): Promise<void>
  /** Finds what the conversation says. */
  said(text: string | RegExp): Locator
  /** Waits until no answer is running. */
  settled(): Promise<void>
  /** The lines that are no failure of this test, of a server that is stopped within it. */
  allowed: RegExp[]
  /** Addresses of all requests. */
  requests: string[]
}

export type PageOptions = Partial<ServerOptions> & {
  context?: BrowserContextOptions
  path?: string
  /** Another server that is served already. */
  server?: AgentServer
}

/**
 * Serves an agent, and opens its page in a new context of the browser. After the test, the page must have reported no error
 * and no warning, and sent no request to another host.
 */
export async function openPage(agent: Runnable, { context: contextOptions, path = '/', ...options }: PageOptions = {}): Promise<OpenPage> {
  const { server: given, ...serverOptions } = options
  const server = given ?? (await serve(agent, { port: 0, log: () => {}, ...serverOptions }))
  // In a container Chromium has no sandbox of its own; the page is ours.
  browser ??= chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP page.test 127.0.0.1'] })
  const context = await (await browser).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...contextOptions })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const problems: string[] = []
  const requests: string[] = []
  const allowed: RegExp[] = []
  page.on('console', (line) => void (['error', 'warning'].includes(line.type()) && problems.push(line.text())))
  page.on('pageerror', (error) => void problems.push(String(error.stack)))
  page.on('request', (request) => void requests.push(request.url()))
  onTestFinished(async () => {
    await context.close()
    if (!given) await server.close()
    expect(problems.filter((line) => !allowed.some((pattern) => pattern.test(line)))).toEqual([])
    const isOwn = (url: string): boolean => url.startsWith(`${server.url}/`) || /^(data|blob):/.test(url)
    expect(requests.filter((url) => !isOwn(url))).toEqual([])
  })
  await page.goto(server.url + path)
  const message = page.getByRole('textbox', { name: 'Message', exact: true })
  const button = (name: string | RegExp): Locator => page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
  return {
    ...{ page, server, message, button, requests, allowed },
    said: (text) => page.getByRole('log').getByText(text, { exact: typeof text === 'string' }),
    async ask(text) {
      await message.fill(text)
      await message.press('Enter')
    },
    async settled() {
      await button('Stop').waitFor({ state: 'detached' })
      await page.locator('article[aria-busy=true]').waitFor({ state: 'detached' })
    },
  }
}
