import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a question whose conversation is left while it is sent', () => {
  it.each([
    ['there is another one', false],
    ['it is opened again meanwhile', true],
  ])('is asked in its conversation: %s', async (_, isOpened) => {
    const model = scriptedModel(['One.', 'Two.'])
    const { page, ask, said, settled, button } = await openPage(keeper([], { model }))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    const sent = Promise.withResolvers<void>()
    const arrives = Promise.withResolvers<void>()
    await page.route('**/chat_stream', async (route) => {
      sent.resolve()
      await arrives.promise
      await route.continue().catch(() => {}) // the page may have aborted it
    })
    await ask('Second?')
    await sent.promise
    await button('New chat').click()
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    if (isOpened) {
      await button('First?').click()
      await said('One.').waitFor()
    }
    const answered = page.waitForResponse('**/chat_stream')
    arrives.resolve()
    await answered
    if (!isOpened) {
      expect(await said('One.').count()).toBe(0)
      await button('First?').click()
    }
    await said('Two.').waitFor()
    await settled()
    expect(await page.locator('.question').count()).toBe(2)
    expect(model.requests[1]?.messages.filter(({ role }) => role === 'user')).toHaveLength(2)
  })
})
