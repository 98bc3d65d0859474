import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const many = 60

describeInBrowser('a server with more conversations than are listed at once', () => {
  it('shows them on request, keeps those that were shown, and lists all runs in the debugger', async () => {
    const answers = Array.from({ length: many + 1 }, (_, at) => `Answer ${at}.`)
    const { page, server, ask, button, said, settled } = await openPage(keeper(answers))
    for (let at = 0; at < many; at++) {
      const messages = [{ role: 'user', content: `Question ${at}` }]
      const body = JSON.stringify({ user_id: 'default', session_id: `s${at}`, messages })
      await fetch(`${server.url}/api/v1/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
    }
    await page.reload()
    const items = page.getByRole('navigation', { name: 'Conversations' }).getByRole('listitem')
    await expect.poll(() => items.count()).toBe(30)
    await button('Show more').click()
    await expect.poll(() => items.count()).toBe(many)
    const focused = page.locator(':focus')
    expect(await focused.textContent()).toBe('Question 29')

    await button('Question 3').click()
    await said('Answer 3.').waitFor()
    await ask('More')
    await said(`Answer ${many}.`).waitFor()
    await settled()
    expect(await items.count()).toBe(many)

    await button('Debugger').click()
    const dialog = page.getByRole('dialog', { name: 'Debugger' })
    const runs = dialog.getByRole('button', { name: /^run_.*Question \d+ · .*done$/ })
    await expect.poll(() => runs.count()).toBe(50)
    await dialog.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => runs.count()).toBe(many + 1)
    expect(await focused.textContent()).toContain('Question')
  })
})
