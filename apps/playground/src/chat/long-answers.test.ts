import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

const fromEnd = (page: Page): Promise<number> =>
  page.locator('.log').evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight))

describeInBrowser('a long answer', () => {
  it.each([
    ['list', lines(2_000, (index) => `- item **${index}** of the list`)],
    ['table', `Rows:\n\n| a | b |\n|---|---|\n${lines(3_000, (index) => `| **${index}** | a cell |`)}\n\nThe end.`],
  ])('that comes at once is a %s, and after a reload too', async (_, text) => {
    const { page, ask, settled } = await openPage(keeper([{ text, deltas: 1 }]))
    const bold = (): Promise<number> => page.locator('.markdown strong').count()
    const count = text.split('**').length >> 1
    await ask('All?')
    await expect.poll(bold, { timeout: 20_000 }).toBe(count)
    await settled()
    expect(await page.locator('.markdown').textContent()).not.toContain('**')
    await page.reload()
    await expect.poll(bold, { timeout: 20_000 }).toBe(count)
  })

  it('is shown from its end when its conversation is opened, however late that comes', async () => {
    const text = `${`${'A paragraph of some words. '.repeat(20)}\n\n`.repeat(50)}The end.`
    const { page, ask, button, settled, said } = await openPage(keeper([text]))
    await ask('Long?')
    await said('The end.').waitFor()
    await settled()
    await button('New chat').click()
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    await page.clock.install()
    await page.clock.fastForward(5_000)
    await button('Long?').first().click()
    await said('The end.').waitFor()
    await expect.poll(() => fromEnd(page)).toBeLessThan(4)
  })

  it('has a table whose words are whole on a narrow screen', async () => {
    const table = '| Department | Salesperson | Yesterday |\n|---|---|---|\n| Accounting | Montgomery | 1,234,567.89 |'
    const { page, ask, said } = await openPage(keeper([table]), { context: { viewport: { width: 320, height: 640 } } })
    await ask('All?')
    await said('Accounting').waitFor()
    const lines = await page.locator('.table :is(th, td)').evaluateAll((cells) =>
      cells.map((cell) => {
        const words = document.createRange()
        words.selectNodeContents(cell)
        return words.getClientRects().length
      }),
    )
    expect(lines).toEqual([1, 1, 1, 1, 1, 1])
    expect(await page.locator('.log').evaluate((log) => log.scrollWidth - log.clientWidth)).toBe(0)
  })
})

describeInBrowser('a long conversation', () => {
  it('keeps its place when earlier questions are shown above it', async () => {
    const agent = keeper(Array.from({ length: 70 }, () => 'Some words of it. '.repeat(40)))
    for (let at = 0; at < 70; at++) await agent.chat(`Question ${at}`, { userId: 'default', sessionId: 'long' })
    const { page, button, said } = await openPage(agent, { path: '/#/chat/long' })
    const first = said('Question 20')
    await first.waitFor()
    await page.locator('.log').evaluate((log) => log.scrollTo(0, 0))
    const topOf = async (): Promise<number> => (await first.boundingBox())?.y ?? 0
    const before = await topOf()
    await button('Show earlier questions').click()
    await said('Question 0').waitFor()
    // The button above it is gone.
    expect(Math.abs((await topOf()) - before)).toBeLessThan(100)
    expect(await page.locator(':focus').getAttribute('role')).toBe('log')
  })
})
