import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { root } from './workspace-files.ts'

// The packages of the page's own tests.
const requirePlayground = createRequire(join(root, 'apps/playground/package.json'))
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

type Violations = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }

/**
 * The violations that axe finds in the pages of a built site, in light and dark, one sentence each.
 *
 * @param site its folder
 * @param pages paths of its HTML files
 * @param base the path that it is served at
 * @param executablePath of Chromium
 */
export async function axeViolations(
  site: string,
  pages: readonly string[],
  base: string,
  executablePath: string,
): Promise<string[]> {
  const axe = readFileSync(requirePlayground.resolve('axe-core/axe.min.js'), 'utf8')
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url?.split('?')[0] ?? '').slice(base.length)
    try {
      const body = readFileSync(join(site, path.split('/').includes('..') ? '404.html' : path))
      response.writeHead(200, { 'content-type': mediaTypes[extname(path)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}` // it listens on TCP
  // In a container Chromium has no sandbox of its own; the site is ours.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      const session = await context.newCDPSession(page)
      for (const path of pages) {
        await page.goto(`${address}${path}`, { waitUntil: 'load' })
        // Axe is evaluated by the debugger, because the policy of the page allows no other scripts.
        await session.send('Runtime.evaluate', { expression: axe })
        const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as Violations
        for (const { id, nodes } of violations)
          found.push(
            `${path} (${colorScheme}): ${id}, ${nodes.length} times, such as ${nodes[0]?.html.slice(0, 150)}: ${nodes[0]?.failureSummary}`,
          )
      }
      await context.close()
    }
    return found
  } finally {
    await browser.close()
    server.close()
    server.closeAllConnections()
  }
}
