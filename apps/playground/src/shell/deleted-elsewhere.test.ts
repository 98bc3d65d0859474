import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

async function deleteFirst(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete Bread?' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Bread?', exact: true }).waitFor({ state: 'detached' })
}

describeInBrowser('a conversation that was deleted in another tab', () => {
  it('is gone when the reader returns, who would ask a model that no longer has it', async () => {
    const { page, ask, said, settled } = await openPage(keeper(['About bread.']))
    await ask('Bread?')
    await said('About bread.').waitFor()
    await settled()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await deleteFirst(tab)
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    expect(await said('About bread.').count()).toBe(0)
  })

  it('is deleted once more without a problem', async () => {
    const { page, server, ask, said, settled, allowed } = await openPage(keeper(['About bread.']))
    allowed.push(/404/)
    await ask('Bread?')
    await said('About bread.').waitFor()
    await settled()
    // The list is read once then, and not again a moment after the question.
    await page.reload()
    await page.getByRole('button', { name: 'Delete Bread?' }).waitFor()
    const [, id] = page.url().split('#/chat/')
    const { status } = await fetch(`${server.url}/api/v1/sessions/${id}?user_id=default`, { method: 'DELETE' })
    expect(status).toBe(204)
    await deleteFirst(page)
    await page.getByRole('heading', { name: /What can/ }).waitFor()
  })
})
