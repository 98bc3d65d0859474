import { sqliteSessions } from '@agentkit/sessions'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }

describeInBrowser('a run that was decided elsewhere', () => {
  it('takes no further decision, and the card says why', async () => {
    const agent = keeper([payTurn, 'It is paid.'], { sessions: sqliteSessions(':memory:') })
    const { runId } = await agent.stream('Pay', { sessionId: 'shared', onApproval: 'end' }).result
    const { page, button, allowed } = await openPage(agent, { path: '/#/chat/shared' })
    allowed.push(/409/)
    await button('Allow').waitFor()
    const [waiting] = await agent.runs({ status: 'waiting' })
    await agent.decide(runId, { [waiting?.approvals[0]?.approvalId ?? '']: { deny: 'No.' } })
    await button('Allow').click()
    await page.getByText('The approval was denied').waitFor()
    expect(await button(/^(Allow|Deny)$/).count()).toBe(0)
  })

  it('shows its answer to a reader who returns when its events are no longer kept', async () => {
    const agent = keeper([payTurn, 'It is paid.'])
    const { page, button, ask, said, settled, allowed } = await openPage(agent)
    allowed.push(/410/)
    await ask('Pay')
    await button('Allow').waitFor()
    await settled()
    const hide = (isHidden: boolean): Promise<void> =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }, isHidden)
    await hide(true)
    const [waiting] = await agent.runs({ status: 'waiting' })
    await agent.resume(waiting?.runId ?? '', { [waiting?.approvals[0]?.approvalId ?? '']: true }).result
    const json = { code: 'stream-expired', status: 410 }
    await page.route('**/events?*', (route) => route.fulfill({ status: 410, json }))
    await hide(false)
    await said('It is paid.').waitFor()
    expect(await button('Allow').count()).toBe(0)
  })
})
