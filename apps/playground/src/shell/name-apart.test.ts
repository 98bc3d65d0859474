import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

const look = { toolCalls: [{ name: 'look_up', input: {} }] }
const payBoth = {
  toolCalls: [
    { name: 'pay_invoice', input: { id: 1 } },
    { name: 'pay_invoice', input: { id: 2 } },
  ],
}

describeInBrowser('regions of one name', () => {
  it('have names of their own: answers to the same question, their timelines, and approvals of one tool', async () => {
    const { page, ask, said, settled } = await openPage(keeper([look, 'It is open.', look, 'It is paid.', payBoth]))
    const region = (name: string) => page.getByRole('region', { name, exact: true })
    for (const answer of ['It is open.', 'It is paid.']) {
      await ask('What is invoice 17?')
      await said(answer).waitFor()
      await settled()
    }
    for (const work of await page.getByRole('button', { name: /^Work/ }).all()) await work.click()
    await ask('Pay both')
    for (const name of ['What is invoice 17?', 'Timeline of the steps', 'book-keeper', 'Allow pay_invoice?']) {
      await region(name).waitFor()
      await region(`${name} (2)`).waitFor()
    }
    expect(await violations(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
    await region('Zeitachse der Schritte (2)').waitFor()
    await region('pay_invoice erlauben? (2)').waitFor()
    expect(await violations(page)).toEqual([])
  })
})
