import { sqliteSessions } from '@agentkit/sessions'
import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('a run whose events are not kept', () => {
  it('is stopped after its decision, which leaving its stream does not', async () => {
    const sessions = sqliteSessions(':memory:')
    const second = held('Never.')
    const agent = keeper([{ toolCalls: [{ name: 'pay_invoice' }] }, second.turn], { sessions })
    const { runId } = await agent.stream('Pay', { sessionId: 'shared', onApproval: 'end' }).result
    const { button, settled, said } = await openPage(agent, { path: '/#/chat/shared' })
    await button('Allow').click()
    await second.asked
    await button('Stop').click()
    await settled()
    await expect.poll(async () => (await sessions.runs?.read(runId))?.record.finishReason).toBe('aborted')
    await said(/· stopped$/).waitFor()
  })

  it('is stopped where it was begun elsewhere', async () => {
    const sessions = sqliteSessions(':memory:')
    const first = held('Never.')
    const agent = keeper([first.turn], { sessions })
    const elsewhere = agent.stream('Wait', { sessionId: 'shared' })
    void elsewhere.result
    await first.asked
    const { button, settled, said } = await openPage(agent, { path: '/#/chat/shared' })
    await button('Stop').click()
    await settled()
    await said(/· stopped$/).waitFor()
    expect((await elsewhere.result).finishReason).toBe('aborted')
  })
})
