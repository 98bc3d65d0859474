import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('the button that jumps to the latest', () => {
  it('covers no part of a long message on a narrow screen', async () => {
    const long = `${'A paragraph of some words.\n\n'.repeat(60)}The end.`
    const context = { viewport: { width: 320, height: 640 } }
    const { page, ask, said, settled, button, message } = await openPage(keeper([long]), { context })
    await ask('Long?')
    await said('The end.').waitFor()
    await settled()
    await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0))
    const toEnd = button('Jump to the latest')
    await toEnd.waitFor()
    for (const text of ['', 'A line\n'.repeat(30)]) {
      await message.fill(text)
      const [above, below] = await Promise.all([toEnd.boundingBox(), message.boundingBox()])
      expect((above?.y ?? 999) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
    }
    await toEnd.click()
    await toEnd.waitFor({ state: 'detached' })
  })
})

describeInBrowser('a heading for screen readers', () => {
  it('is gone to within the conversation, and the page stays in its place', async () => {
    const { page, ask, said, settled } = await openPage(keeper(['A line\n\n'.repeat(60), 'The end.']))
    await ask('Long?')
    await settled()
    await ask('Short?')
    await said('The end.').waitFor()
    await settled()
    const headings = page.getByRole('heading', { name: 'You' })
    for (const heading of [headings.first(), headings.last()]) {
      await heading.evaluate((one) => one.scrollIntoView())
      expect(await page.evaluate(() => window.scrollY)).toBe(0)
    }
  })
})
