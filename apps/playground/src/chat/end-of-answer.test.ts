import { memorySessions } from '@agentkit/core'
import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

describeInBrowser('the warnings and the error of an answer', () => {
  it('have the id of the request that began it, or continued it', async () => {
    const pays = { toolCalls: [{ name: 'pay_invoice' }], warnings: ['The temperature is ignored.'] }
    const { page, ask, said, settled, button } = await openPage(keeper([pays, new Error('SECRET')]))
    const idOf = async (path: RegExp): Promise<RegExp> => {
      const response = await page.waitForResponse((one) => path.test(one.url()) && one.request().method() === 'POST')
      return new RegExp(`Request id: ${response.headers()['x-request-id']}$`)
    }
    const [asked] = await Promise.all([idOf(/chat_stream$/), ask('Pay')])
    await button('Allow').waitFor()
    const warning = said(/^Warning The temperature is ignored\./)
    expect(await warning.textContent()).toMatch(asked)
    expect(await violations(page)).toEqual([])
    const [decided] = await Promise.all([idOf(/approvals/), button('Allow').click()])
    await page.getByRole('alert').getByText(decided).waitFor()
    await settled()
    expect(await warning.textContent()).toMatch(decided)
  })
})

describeInBrowser('the line below an answer', () => {
  it('names the model after a reload too', async () => {
    const { page, ask, said, settled } = await openPage(keeper(['One.']))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await page.reload()
    await said(/10 tokens in, 5 out · \$0\.0030 · .* · test\/scripted$/).waitFor()
  })

  it('reports that an answer was stopped of which the server stores nothing', async () => {
    const slow = { text: 'One two three four five six seven.', deltas: 7, delayMs: 500 }
    const { ask, said, settled, button } = await openPage(keeper([slow], { sessions: memorySessions() }))
    await ask('Count')
    await said(/One two/).waitFor()
    await button('Stop').click()
    await said(/^tokens unknown · price unknown · .* · stopped$/).waitFor()
    await settled()
  })

  it('writes numbers as the language does', async () => {
    const { page, said } = await openPage(keeper(['Eins.']), { context: { locale: 'de-DE' } })
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('Zähle')
    await page.keyboard.press('Enter')
    await said(/10 Tokens Eingabe, 5 Ausgabe · \$0,0030/).waitFor()
  })
})

describeInBrowser('an answer that could not be stopped', () => {
  it('continues, and can be stopped again', async () => {
    const first = held({ text: 'Let me see.', toolCalls: [{ name: 'look_up' }] })
    const second = held('Never.')
    const { page, ask, said, settled, button, allowed } = await openPage(keeper([first.turn, second.turn]))
    allowed.push(/503/)
    const json = { code: 'storage', detail: 'The disk is full.' }
    await page.route('**/cancel?*', (route) => route.fulfill({ status: 503, json }))
    await ask('Look')
    await first.asked
    await button('Stop').click()
    await said('The disk is full.').waitFor()
    await page.unroute('**/cancel?*')
    first.release()
    await second.asked
    await button('Stop').click()
    await said(/ · stopped$/).waitFor()
    await settled()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describeInBrowser('an answer whose stream ends before its run', () => {
  it('is a failure, as nothing says that it is complete', async () => {
    const { page, ask, said } = await openPage(keeper([], { sessions: memorySessions() }))
    const events = [
      { type: 'run-start', seq: 1 },
      { type: 'step-start', seq: 2, step: 1 },
      { type: 'text-delta', seq: 3, text: 'Half an' },
    ]
    const lines = events.map((event) => `data: ${JSON.stringify({ runId: 'run_1', path: [], ...event })}\n\n`)
    await page.route('**/chat_stream', (route) =>
      route.fulfill({ headers: { 'content-type': 'text/event-stream', 'x-run-id': 'run_1' }, body: lines.join('') }),
    )
    await ask('First?')
    await said('Half an').waitFor()
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor()
    expect(await page.getByRole('status').first().textContent()).toContain(
      'The answer failed: The server cannot be reached.',
    )
  })
})
