import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }
/** The connections of a browser to one server, for all its tabs. */
const connections = 6

/** What a browser does when another tab is chosen; without a window, it shows all of them. */
function show(page: Page, isShown: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }, !isShown)
}

describeInBrowser('approvals that wait in many tabs', () => {
  it('leave a connection for the tab that the reader sees, and are decided there', async () => {
    const turns = Array.from({ length: connections }, () => payTurn)
    const { page, server } = await openPage(keeper([...turns, 'It is paid.']))
    for (const at of turns.keys()) {
      const tab = at === 0 ? page : await page.context().newPage()
      if (tab !== page) await tab.goto(server.url)
      await tab.getByRole('textbox', { name: 'Message', exact: true }).fill(`Pay ${at}`)
      await tab.keyboard.press('Enter')
      await tab.getByRole('button', { name: 'Allow', exact: true }).waitFor()
      await tab.getByLabel('Reason').fill('It is due.')
      await show(tab, false)
    }
    const another = await page.context().newPage()
    await another.goto(server.url)
    await another.getByRole('button', { name: 'Pay 0', exact: true }).waitFor()
    await show(page, true)
    expect(await page.getByLabel('Reason').inputValue()).toBe('It is due.')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('log').getByText('It is paid.').waitFor()
  })
})
