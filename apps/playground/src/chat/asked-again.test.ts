import { Agent, memorySessions } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, type OpenPage, openPage } from '../__fixtures__/open-page.ts'

/** The questions of the conversation as the server has it. */
async function asked({ page }: OpenPage): Promise<(string | null)[]> {
  await page.reload()
  await page.locator('section.turn').first().waitFor()
  return page.locator('.question .pre').allTextContents()
}

describeInBrowser('a question that is asked again', () => {
  it('replaces the answer that it was to replace when the server did not get it', async () => {
    const opened = await openPage(keeper(['One.', 'Two.', 'Two again.']))
    const { page, ask, button, settled, said, allowed } = opened
    allowed.push(/net::ERR_FAILED/)
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await ask('Second?')
    await said('Two.').waitFor()
    await settled()
    await page.route('**/chat_stream', (route) => route.abort())
    for (let tries = 0; tries < 2; tries++) {
      await button('Regenerate').last().click()
      await page.getByRole('alert').getByText('unreachable').waitFor()
    }
    await page.unroute('**/chat_stream')
    await button('Regenerate').last().click()
    await said('Two again.').waitFor()
    await settled()
    expect(await asked(opened)).toEqual(['First?', 'Second?'])
  })

  it('is no part of the conversation twice where the server answered with a problem', async () => {
    const model = scriptedModel(['One.', new Error('No.'), 'Two.'])
    const plain = new Agent({ name: 'Plain', model, sessions: memorySessions(), retry: { attempts: 1 } })
    const opened = await openPage(plain)
    const { page, ask, button, settled, said, allowed } = opened
    allowed.push(/502/)
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await ask('Second?')
    await page.getByRole('alert').getByText('provider-error').waitFor()
    await button('Regenerate').last().click()
    await said('Two.').waitFor()
    await settled()
    expect(await asked(opened)).toEqual(['First?', 'Second?'])
  })

  it('is asked where its run did not begin, as another one had the conversation', async () => {
    const first = held('One.')
    const opened = await openPage(keeper([first.turn, 'Two.'], { onBusy: 'reject' }), { path: '/#/chat/shared' })
    const { page, server, ask, button, settled, said } = opened
    await button('What is invoice 17?').waitFor()
    const elsewhere = fetch(`${server.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        user_id: 'default',
        session_id: 'shared',
        messages: [{ role: 'user', content: 'First?' }],
      }),
    })
    await first.asked
    await ask('Second?')
    await page.getByRole('alert').getByText('session-busy').waitFor()
    await settled()
    first.release()
    await (await elsewhere).text()
    await button('Regenerate').last().click()
    await said('Two.').waitFor()
    await settled()
    expect(await asked(opened)).toEqual(['First?', 'Second?'])
  })
})
