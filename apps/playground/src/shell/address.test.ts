import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a link to a conversation', () => {
  it.each(['team:7', 'team%3A7'])('written as %s leaves the way back', async (id) => {
    const { page, said, server } = await openPage(keeper(['One.']), { path: '/docs' })
    const sessionId = decodeURIComponent(id)
    const body = JSON.stringify({
      user_id: 'default',
      session_id: sessionId,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${server.url}/api/v1/chat`, { method: 'POST', headers, body })
    await page.goto(`${server.url}/#/chat/${id}`)
    await said('One.').waitFor()
    await page.goBack()
    await page.waitForURL('**/docs')
    await page.goForward()
    await said('One.').waitFor()
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/chat/${sessionId}`)
  })
})
