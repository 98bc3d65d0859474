import { Agent, workflow } from '@agentkit/core'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { held } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('the answer of a workflow', () => {
  it('is shown once, and the texts of its agents are in its steps', async () => {
    const agent = (name: string, turn: ScriptedTurn): Agent =>
      new Agent({ name, functions: [], model: scriptedModel([turn]) })
    const second = held('The letter.')
    const flow = workflow({ name: 'Flow', sessions: sqliteSessions(':memory:') })
      .step(agent('One', 'A draft.'))
      .step(agent('Two', second.turn))
    const { page, ask, said, settled } = await openPage(flow.asAgent())
    const answer = page.locator('article .markdown')
    await ask('Write')
    await second.asked
    await page.getByText(/^Work:/).click()
    await page.getByRole('region', { name: 'One' }).getByText('A draft.').waitFor()
    expect(await answer.count()).toBe(0)
    second.release()
    await said('The letter.').first().waitFor()
    await settled()
    expect(await answer.allInnerTexts()).toEqual(['The letter.'])

    await page.reload()
    await page.getByText('Show the work').click()
    await page.getByRole('region', { name: 'One' }).getByText('A draft.').waitFor()
    await settled()
    expect(await answer.allInnerTexts()).toEqual(['The letter.'])
  })
})
