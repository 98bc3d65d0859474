import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }

describeInBrowser('a conversation in which another tab has asked', () => {
  it('keeps what the reader has opened and written in it', async () => {
    const turns = [payTurn, 'Something else.', 'It is paid.']
    const { page, ask, said, settled, button } = await openPage(keeper(turns))
    await ask('Pay')
    await page.getByText(/^Work:/).click()
    await page.locator('.call').waitFor()
    await page.getByLabel('Reason').fill('It is due.')
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    await tab.getByRole('textbox', { name: 'Message', exact: true }).fill('What else?')
    await tab.keyboard.press('Enter')
    await tab.getByRole('log').getByText('Something else.').waitFor()
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await said('Something else.').waitFor()
    const reason = page.getByLabel('Reason')
    expect([await page.locator('.call').count(), await reason.inputValue()]).toEqual([1, 'It is due.'])
    expect(await reason.evaluate((field) => field === document.activeElement)).toBe(true)
    await button('Allow').click()
    await said('It is paid.').waitFor()
    await settled()
    expect(await page.locator('section.turn').count()).toBe(2)
  })
})
