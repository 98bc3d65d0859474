import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a server that fails for a moment', () => {
  it('is asked again by a button, for the conversations and for the turns of one, and the focus is kept', async () => {
    const { page, ask, said, settled, allowed } = await openPage(keeper(['One.']))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    allowed.push(/500/)
    const body = JSON.stringify({ status: 500, code: 'storage', detail: 'The store failed.' })
    for (const path of ['**/turns?*', '**/api/v1/sessions?*']) {
      await page.route(path, (route) => route.fulfill({ status: 500, body }), { times: 1 })
    }
    await page.reload()
    const list = page.getByRole('navigation', { name: 'Conversations' })
    await list.getByText('The store failed.').waitFor()
    await list.getByRole('button', { name: 'Try again' }).click()
    await list.getByRole('button', { name: 'First?', exact: true }).waitFor()
    const focused = page.locator(':focus')
    expect(await focused.getAttribute('aria-label')).toBe('Search conversations')

    await page.getByRole('log').getByRole('button', { name: 'Try again' }).click()
    await said('One.').waitFor()
    expect(await focused.getAttribute('aria-label')).toBe('Message')
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('is shown as a problem, for any answer of a proxy', async () => {
    const { page, allowed, message } = await openPage(keeper([]))
    allowed.push(/502/)
    const body = JSON.stringify({ code: 'constructor', detail: 'Bad gateway.' })
    await page.route('**/api/v1/sessions?*', (route) => route.fulfill({ status: 502, body }))
    await page.reload()
    await page.getByRole('alert').getByText('Bad gateway.').waitFor()
    await message.waitFor()
  })
})
