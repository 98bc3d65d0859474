import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a title that is being edited', () => {
  it('leaves the focus where the reader writes, when the list is read again', async () => {
    const second = held('About cake.')
    const { page, ask, said, settled, button, message } = await openPage(keeper(['About bread.', second.turn]))
    await ask('Bread?')
    await said('About bread.').waitFor()
    await settled()
    await button('Rename Bread?').click()
    const title = page.getByRole('textbox', { name: 'Title of the conversation' })
    expect(await title.evaluate((field) => field === document.activeElement)).toBe(true)
    await ask('Cake?')
    await second.asked
    await message.pressSequentially('And ')
    const listed = page.waitForResponse(/\/sessions\?/)
    second.release()
    await said('About cake.').waitFor()
    await settled()
    await (await listed).finished()
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await page.keyboard.type('tea?')
    expect([await message.inputValue(), await title.inputValue()]).toEqual(['And tea?', 'Bread?'])
  })
})
