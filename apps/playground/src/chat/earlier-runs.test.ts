import { sqliteSessions } from '@agentkit/sessions'
import { it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, type OpenPage, openPage } from '../__fixtures__/open-page.ts'

const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }

/** Asks for a payment that waits, and then for something else. */
async function askTwice({ ask, said, settled, button }: OpenPage): Promise<void> {
  await ask('Pay')
  await button('Allow').waitFor()
  await ask('What else?')
  await said('Something else.').waitFor()
  await settled()
}

describeInBrowser('the run of an earlier question', () => {
  it('continues after a reload, and does not block the conversation', async () => {
    const last = held('It is paid.')
    const opened = await openPage(keeper([payTurn, 'Something else.', last.turn, 'A third.']))
    const { page, ask, said, settled, button } = opened
    await askTwice(opened)
    await button('Allow').click()
    await last.asked
    await page.reload()
    await said('Something else.').waitFor()
    await button('Stop').waitFor()
    last.release()
    await said('It is paid.').waitFor()
    await settled()
    await ask('And now?')
    await said('A third.').waitFor()
  })

  it('is shown when the reader returns, where its approval was decided elsewhere', async () => {
    const agent = keeper([payTurn, 'Something else.', 'It is paid.'])
    const opened = await openPage(agent)
    const { page, said, settled, button } = opened
    await askTwice(opened)
    const [waiting] = await agent.runs({ status: 'waiting' })
    const approvalId = waiting?.approvals[0]?.approvalId ?? ''
    await agent.resume(waiting?.runId ?? '', { [approvalId]: true }).result
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await button('Allow').waitFor({ state: 'detached' })
    await said('It is paid.').waitFor()
    await settled()
  })
})

describeInBrowser('a run that was begun elsewhere and keeps no events', () => {
  it('shows its answer once it has ended', async () => {
    const first = held('The answer.')
    const agent = keeper([first.turn, 'The next one.'], { sessions: sqliteSessions(':memory:') })
    const elsewhere = agent.stream('Wait', { sessionId: 'shared' })
    void elsewhere.result
    await first.asked
    const { ask, button, said, settled } = await openPage(agent, { path: '/#/chat/shared' })
    await button('Stop').waitFor()
    first.release()
    await said('The answer.').waitFor()
    await settled()
    await ask('And now?')
    await said('The next one.').waitFor()
  })
})

describeInBrowser('a connection that was lost for longer than it is tried again', () => {
  /** An approval that waits on a page that has given up. */
  async function openLost(): Promise<OpenPage> {
    const opened = await openPage(keeper([payTurn, 'It is paid.']))
    const { page, ask, button, allowed } = opened
    allowed.push(/ERR_FAILED/)
    await page.route('**/events*', (route) => route.abort())
    await ask('Pay')
    await button('Allow').waitFor()
    await page.clock.install()
    while ((await page.getByRole('alert').count()) === 0) await page.clock.runFor(4_000)
    await page.unroute('**/events*')
    return opened
  }

  it('is opened again by a decision', async () => {
    const { page, button, said } = await openLost()
    await button('Allow').click()
    await page.clock.resume()
    await said('It is paid.').waitFor()
  })

  it('is opened again when the network is back', async () => {
    const { page, server, said } = await openLost()
    const { runs } = await (await fetch(`${server.url}/api/v1/runs?user_id=default&status=waiting`)).json()
    const [{ run_id, approvals }] = runs
    await fetch(`${server.url}/api/v1/runs/${run_id}/approvals/${approvals[0].approval_id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id: 'default', approve: true }),
    })
    await page.clock.resume()
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await said('It is paid.').waitFor()
  })
})
