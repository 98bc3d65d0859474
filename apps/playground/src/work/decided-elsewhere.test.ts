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
})
