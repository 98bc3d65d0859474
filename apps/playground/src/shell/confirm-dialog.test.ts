import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a question before something is deleted', () => {
  it('is answered once by a double click, and again after a failure', async () => {
    const { page, ask, said, settled, button, requests, allowed } = await openPage(keeper(['One.']))
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    const deleting = '**/api/v1/sessions/*?*'
    await page.route(deleting, (route) => route.fulfill({ status: 503, json: { code: 'storage', detail: 'Full.' } }))
    allowed.push(/503/)
    await button('Delete Bread?').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByText('Full.').waitFor()
    await page.unroute(deleting)
    const before = requests.length
    await dialog.getByRole('button', { name: 'Delete', exact: true }).dblclick()
    await page.getByText('No conversations yet.').waitFor()
    expect(requests.slice(before).filter((url) => /sessions\/./.test(url))).toHaveLength(1)
  })
})
