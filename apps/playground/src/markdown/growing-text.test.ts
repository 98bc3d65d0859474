import type { Model } from '@agentkit/core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const texts = {
  'a list with nested items': `Before.\n\n${lines(120, (index) => (index % 4 === 3 ? `  - nested *${index}*` : `- item **${index}** of the list`))}\n\nAfter.`,
  'a list with distances': `${lines(50, (index) => `${index + 1}. item ${index}\n\n   More of it, [here](https://example.com).\n`)}\nAfter.`,
  'a list of tasks': lines(90, (index) => `* [${index % 2 ? 'x' : ' '}] task ${index}, to be done`),
  'two lists': `${lines(60, (index) => `- a long enough item ${index}`)}\n${lines(60, (index) => `* another item ${index}`)}\n- - -\nAfter.`,
  'a table': `| a | b |\n|---|:-:|\n${lines(120, (index) => `| cell ${index} | \`code\` |`)}\n\nAfter.`,
  'a table at the end': `Text\n\na | b\n--|--\n${lines(120, (index) => `${index} | <b> in a longer row`)}`,
  code: `${lines(9, (index) => `Some text.\n\n\`\`\`text\nconst a = ${index}\n\`\`\`\n`)}\nAfter.`,
  lines: `${lines(300, (index) => `A line of a paragraph, number ${index}.`)}\n\n> quoted\n\n---\n\n# Title`,
} as const

/** A model that continues when the page has drawn what came before. */
function drawnModel(parts: readonly string[], drawn: () => Promise<unknown>): Model {
  return {
    id: 'test/drawn',
    async *stream() {
      for (const text of parts) {
        yield { type: 'text-delta', text }
        await drawn()
      }
      const content = [{ type: 'text' as const, text: parts.join('') }]
      const message = { v: 1 as const, role: 'assistant' as const, content }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 }, message }
    },
  }
}

function inParts(text: string, count: number): string[] {
  const size = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, index) => text.slice(index * size, (index + 1) * size))
}

const twoFrames = (): Promise<unknown> =>
  new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))

describeInBrowser('an answer that grows', () => {
  it.each([
    [
      'code that begins a line with backticks',
      ['```markdown\n# Title\n```', 'js\nlet a = 1\n', '```\n\nAfter.'],
      'After.',
    ],
    [
      'links whose addresses are at its end',
      ['See [docs][1] of it.\n\nMore.\n\n', '[1]: https://example.com/'],
      'More.',
    ],
  ])('looks as it does when it is read at once: %s', async (_, parts, last) => {
    let page: Page | undefined
    const model = drawnModel(parts, async () => page?.evaluate(twoFrames))
    const place = await openPage(keeper([], { model }))
    page = place.page
    const shown = async ({ page }: { page: Page }) =>
      (await page.locator('.markdown').innerHTML()).replace(/>\s+</g, '><')
    await place.ask('Go')
    await place.settled()
    const other = await place.page.context().newPage()
    await other.goto(place.page.url())
    await other.locator('.markdown', { hasText: last }).waitFor()
    await other.locator('.markdown :is(pre, a)').waitFor()
    // The answer is drawn some frames after its run has ended.
    await expect.poll(() => shown(place), { timeout: 60_000 }).toBe(await shown({ page: other }))
    expect(await place.page.locator('.markdown :is(pre, a)').count()).toBe(1)
  })

  it('looks like a text that arrives in one piece, and keeps finished blocks', async () => {
    let page: Page | undefined
    const models = Object.values(texts).map((text) =>
      drawnModel(inParts(text, 16), async () => {
        await page?.evaluate(async () => {
          await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
          const answer = document.querySelector('.turn:last-child .markdown')
          const items = answer?.querySelectorAll(':scope > div > :is(ul, ol) > *, tbody > *') ?? []
          // The first of them belongs to what is finished as soon as there are many.
          if (items.length > 60 && !('kept' in window)) Object.assign(window, { kept: items[0] })
          if (answer?.textContent?.includes('```')) Object.assign(window, { hasFence: true })
        })
      }),
    )
    let at = 0
    const model: Model = {
      id: 'test/drawn',
      stream: (...given) => (models[at++] ?? (models[0] as Model)).stream(...given),
    }
    const place = await openPage(keeper([], { model }))
    page = place.page
    const shown = (name: string) =>
      place.page
        .getByRole('region', { name, exact: true })
        .locator('.markdown')
        .innerHTML()
        .then((html) => html.replace(/>\s+</g, '><'))
    const grown: Record<string, string> = {}
    for (const name of Object.keys(texts)) {
      await place.ask(name)
      await place.page.getByRole('region', { name, exact: true }).locator('.cost').waitFor()
      grown[name] = await shown(name)
      const isKept = await place.page.evaluate(() => !('kept' in window) || (window.kept as Element).isConnected)
      expect([name, isKept]).toEqual([name, true])
      await place.page.evaluate(() => void delete (window as { kept?: unknown }).kept)
    }
    expect(await place.page.evaluate(() => 'hasFence' in window)).toBe(false)
    await place.page.reload()
    for (const name of Object.keys(texts)) expect([name, grown[name]]).toEqual([name, await shown(name)])
  })

  it('that was cut continues in its block when the reader asks for all', async () => {
    const text = `Before.\n\n${'word '.repeat(25_000)}end`
    const { page, ask, settled, button } = await openPage(keeper([{ text, deltas: 20 }]))
    await ask('Long')
    await settled()
    await button('Show all (125.0 KB)').click()
    const answer = page.locator('.markdown')
    await expect.poll(() => answer.textContent(), { timeout: 20_000 }).toMatch(/end$/)
    expect(await answer.locator('p').count()).toBe(2)
  })

  it('has its code highlighted once it is complete, in pieces', async () => {
    const code = lines(399, (index) => (index % 5 === 4 ? '' : `const a${index} = "</span><b>&amp;" // text`))
    const { page, ask, settled } = await openPage(keeper([`\`\`\`ts\n${code}\n\`\`\``]))
    await ask('Code')
    await settled()
    await expect.poll(() => page.locator('.hljs-comment').count(), { timeout: 20_000 }).toBe(320)
    expect(await page.locator('pre code').textContent()).toBe(`${code}\n`)
    expect(await page.locator('pre b').count()).toBe(0)
  })
})
