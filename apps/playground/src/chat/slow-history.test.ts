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
    // The sum of what is on the page.
    await page.getByText('≥ 750 tokens · $0.1500').waitFor()
    open = Promise.withResolvers()
    await button('Show earlier questions').dblclick()
    await new Promise((resolve) => setTimeout(resolve, 200))
    open.resolve()
    await said('Answer 0.').first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await said('Answer 0.').count()).toBe(1)
    expect(await page.locator('.sum').textContent()).toBe('This conversation: 825 tokens · $0.1650')
  })

  it('is not asked before it is there, and loses no question', async () => {
    const { page, ask, said, settled, message, button } = await openPage(keeper(['One.', 'Two.', 'Two again.']))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    const open = Promise.withResolvers<void>()
    await page.route('**/turns?*', async (route) => {
      const response = await route.fetch()
      await open.promise
      await route.fulfill({ response })
    })
    await page.reload()
    await said('Loading…').waitFor()
    await ask('Second?')
    expect([await message.inputValue(), await button('Send').isEnabled()]).toEqual(['Second?', false])
    open.resolve()
    await said('One.').waitFor()
    await message.press('Enter')
    await said('Two.').waitFor()
    await settled()
    expect(await page.locator('.question').count()).toBe(2)
  })

  it('is read again before one of its answers is replaced', async () => {
    const { page, server, ask, said, settled, button } = await openPage(keeper(['One.', 'Elsewhere.', 'Again.']))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    const [, session_id] = page.url().split('#/chat/')
    await fetch(`${server.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'default', session_id, messages: [{ role: 'user', content: 'Second?' }] }),
    })
    const asked = Promise.withResolvers<void>()
    const open = Promise.withResolvers<void>()
    await page.route('**/turns?*limit=50*', async (route) => {
      const response = await route.fetch()
      asked.resolve()
      await open.promise
      await route.fulfill({ response })
    })
    await page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await asked.promise
    await button('Regenerate').click()
    open.resolve()
    await said('Elsewhere.').waitFor()
    expect(await said('One.').count()).toBe(1)
    await button('Regenerate').last().click()
    await said('Again.').waitFor()
    await settled()
    expect(await page.locator('.question').count()).toBe(2)
  })
})
