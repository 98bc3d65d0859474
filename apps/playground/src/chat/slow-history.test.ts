import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const many = 55

describeInBrowser('a conversation that is read slowly', () => {
  it('is left for a new chat, and has each earlier question once', async () => {
    const answers = Array.from({ length: many }, (_, at) => `Answer ${at}.`)
    const { page, server, button, said } = await openPage(keeper(answers))
    for (let at = 0; at < many; at++) {
      const messages = [{ role: 'user', content: `Question ${at}` }]
      await fetch(`${server.url}/api/v1/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: 'default', session_id: 'long', messages }),
      })
    }
    await page.reload()
    let open = Promise.withResolvers<void>()
    await page.route('**/turns?*', async (route) => {
      await open.promise
      await route.continue().catch(() => {}) // the page may be closed
    })
    await button('Question 0').click()
    await said('Loading…').waitFor()
    await button('New chat').click()
    await page.getByRole('heading', { name: /do for you/ }).waitFor()
    open.resolve()

    await button('Question 0').click()
    await said(`Answer ${many - 1}.`).waitFor()
    open = Promise.withResolvers()
    await button('Show earlier questions').dblclick()
    await new Promise((resolve) => setTimeout(resolve, 200))
    open.resolve()
    await said('Answer 0.').first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await said('Answer 0.').count()).toBe(1)
  })
})
