import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const long = `${'A paragraph of some words.\n\n'.repeat(100)}\`\`\`text\n${'code\n'.repeat(200)}\`\`\``

describeInBrowser('a printed conversation', () => {
  it('is there from its first question to its last answer, without what a reader only presses', async () => {
    const { page, ask, settled, message, button } = await openPage(keeper([long, 'The end.']))
    for (const question of ['First?', 'Last?']) {
      await ask(question)
      await settled()
    }
    const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g) ?? []
    expect(pages.length).toBeGreaterThan(5)
    await page.emulateMedia({ media: 'print' })
    const hidden = await page
      .locator('.log, .log pre')
      .evaluateAll((parts) => parts.map((part) => part.scrollHeight - part.clientHeight))
    expect(hidden).toEqual([0, 0])
    for (const part of [message, button('New chat'), button('Regenerate').first()])
      expect(await part.isVisible()).toBe(false)
  })
})
