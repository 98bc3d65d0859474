import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const views = [
  { colorScheme: 'light', width: undefined },
  { colorScheme: 'dark', width: undefined },
  { colorScheme: 'light', width: 320 },
] as const

/**
 * The violations that axe finds in the current page: light, dark, and at 320 pixels. In none may anything be wider or
 * higher than the page, whose parts scroll by themselves. Axe runs outside of the policy of the page.
 */
export async function violations(page: Page): Promise<unknown[]> {
  const found: unknown[] = []
  const size = page.viewportSize()
  const session = await page.context().newCDPSession(page)
  for (const { colorScheme, width } of views) {
    if (width) await page.setViewportSize({ width, height: 640 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if ((await page.evaluate('typeof axe')) === 'undefined') await evaluateFile(session, axe)
    const result = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
    }
    for (const { id, nodes } of result.violations) {
      const places = nodes.map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary])
      found.push({ colorScheme, width, id, nodes: places })
    }
    const overflow = await page.evaluate(() => {
      const { scrollWidth, scrollHeight } = document.documentElement
      return Math.max(scrollWidth - window.innerWidth, scrollHeight - window.innerHeight)
    })
    if (overflow > 0) found.push({ width, overflow })
  }
  if (size) await page.setViewportSize(size)
  return found
}

async function evaluateFile(
  session: Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>,
  path: string,
): Promise<void> {
  await session.send('Runtime.evaluate', { expression: await readFile(path, 'utf8') })
}

