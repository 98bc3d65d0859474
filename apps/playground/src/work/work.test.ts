import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentKitError, memorySessions, tool } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { expect, it, onTestFinished } from 'vitest'
import { held, keeper, lookUp, team } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const two = {
  toolCalls: [
    { name: 'pay_invoice', input: { id: 1 } },
    { name: 'pay_invoice', input: { id: 2 } },
  ],
}
const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }

/** Allows the first call that waits, as another page does. */
async function allowFirst(url: string): Promise<void> {
  const waiting = (await (await fetch(`${url}/api/v1/runs?user_id=default&status=waiting`)).json()) as {
    runs: { run_id: string; approvals: { approval_id: string }[] }[]
  }
  const [run] = waiting.runs
  await fetch(`${url}/api/v1/runs/${run?.run_id}/approvals/${run?.approvals[0]?.approval_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: 'default', approve: true }),
  })
}

describeInBrowser('the work of an answer', () => {
  it('is a timeline of steps with their calls, tokens and costs, also after a reload', async () => {
    const { page, ask, said, settled } = await openPage(
      keeper([{ toolCalls: [{ name: 'look_up', input: { id: 17 } }] }, 'It is 250.']),
    )
    await ask('What is it?')
    await said('It is 250.').waitFor()
    await settled()
    const check = async (summary: string): Promise<void> => {
      await page.getByText(summary).click()
      const steps = page.getByRole('article').getByRole('listitem')
      await steps.getByText('Step 2').waitFor()
      expect(await steps.first().textContent()).toMatch(/Step 1.*test\/scripted · 10 tokens in, 5 out · \$0\.0030/)
      await page.getByText('look_up').click()
      await page.getByRole('group', { name: 'Arguments' }).getByText('"id": 17').waitFor()
      await page.getByRole('group', { name: 'Result' }).getByText('"amount": 250').waitFor()
      expect(await page.locator('.call > button').textContent()).toMatch(/look_up.*done.*ms/)
    }
    await check('Work: 2 steps, 1 tool call')
    await page.reload()
    await check('Show the work')
  })

  it('is no longer there once its events are gone, and its answer stays', async () => {
    const agent = keeper(['It is 250.'])
    const { page, ask, said, settled, allowed } = await openPage(agent)
    await ask('What is it?')
    await said('It is 250.').waitFor()
    await settled()
    while ((await agent.sessions.runs?.prune({ eventsMs: 1 }))?.events === 0);
    await page.reload()
    allowed.push(/410/)
    await page.getByText('Show the work').click()
    await page.getByText('The steps of this answer are no longer kept.').waitFor()
    await settled()
    expect(await page.getByRole('log').textContent()).toMatch(/It is 250\.\s+10 tokens in/)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('names calls that failed, repeated attempts and another model', async () => {
    const failing = scriptedModel([new AgentKitError('overloaded', 'SECRET')], { id: 'test/first' })
    const other = scriptedModel([{ toolCalls: [{ name: 'look_up' }] }, 'Done.'], { id: 'test/second' })
    const tool = { ...lookUp, execute: () => Promise.reject(new Error('SECRET')) }
    const { page, ask, said, settled } = await openPage(keeper([], { model: [failing, other], functions: [tool] }))
    await ask('Go')
    await said('Done.').waitFor()
    await settled()
    await page.getByText(/^Work:/).click()
    await page.getByText(/Changed from test\/first to test\/second/).waitFor()
    await page.getByText(/Tried again:/).waitFor()
    await page.locator('.call > button').getByText('failed').waitFor()
    await page.getByText('price unknown').first().waitFor()
    expect(await page.textContent('body')).not.toContain('SECRET')
  })

  it('names calls that did not run, as a budget has stopped the agent', async () => {
    const { page, ask, settled } = await openPage(
      keeper([{ toolCalls: [{ name: 'look_up' }] }], { budget: { toolCalls: 0 } }),
    )
    await ask('Go')
    await page.getByText(/^Work:/).waitFor()
    await settled()
    await page.getByText(/^Work:/).click()
    await page.locator('.call > button').getByText('stopped').waitFor()
    await page.getByText('look_up').click()
    await page.getByRole('group', { name: 'Result' }).getByText('no result', { exact: true }).waitFor()
  })

  it('has a section for each member of a swarm, with its status', async () => {
    const swarm = team(
      [
        {
          toolCalls: [
            { name: 'baker', input: { task: 'bake' } },
            { name: 'critic', input: { task: 'taste' } },
          ],
        },
        'All is done.',
      ],
      { Baker: [{ toolCalls: [{ name: 'look_up' }] }, 'Baked.'], Critic: [new Error('SECRET')] },
    )
    const { page, ask, said, settled } = await openPage(swarm)
    await ask('Bake')
    await said('All is done.').waitFor()
    await settled()
    await page.getByText(/^Work:/).click()
    expect(await page.getByRole('region', { name: 'Baker' }).textContent()).toMatch(
      /Baker.*done.*30 tokens.*\$0\.0060.*Baked\./s,
    )
    expect(await page.getByRole('region', { name: 'Critic' }).textContent()).toMatch(
      /Critic.*failed.*The member failed\./s,
    )
    expect(await page.textContent('body')).not.toContain('SECRET')
  })

  it('measures a run against the narrowest limit of its budget, while it runs', async () => {
    const second = held('Done.')
    const budget = { tokens: 60_000, toolCalls: 50, modelCalls: 10 }
    const { page, ask, said, settled } = await openPage(
      keeper([{ toolCalls: [{ name: 'look_up' }], usage: { inputTokens: 12_000, outputTokens: 300 } }, second.turn], {
        budget,
      }),
    )
    await ask('Go')
    const meter = page.getByRole('meter', { name: 'Budget' })
    await page.getByText('tokens 12,300 of 60,000').waitFor()
    expect(await meter.getAttribute('aria-valuetext')).toBe('tokens 12,300 of 60,000')
    second.release()
    await said('Done.').waitFor()
    await settled()
    expect(await meter.count()).toBe(0)
  })

  it('reports the reason of an answer that did not end normally', async () => {
    const { ask, said, settled } = await openPage(keeper([{ text: 'Cut', finishReason: 'length' }]))
    await ask('Go')
    await said('Cut').waitFor()
    await settled()
    await said(/ · cut off at the length limit$/).waitFor()
  })
})

describeInBrowser('an approval', () => {
  it('is a card, and the call runs when it is allowed, also after a reload', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper([payTurn, 'It is paid.']))
    await ask('Pay')
    const card = page.getByRole('region', { name: 'Allow pay_invoice?' })
    await card.waitFor()
    expect(await card.textContent()).toContain('"id": 17')
    await page.reload()
    await card.waitFor()
    await button('Allow').click()
    await said('It is paid.').waitFor()
    await settled()
    expect(await card.count()).toBe(0)
  })

  it('is denied with a reason, which the agent sees', async () => {
    const model = scriptedModel([payTurn, 'As you wish.'])
    const { page, ask, said, settled, button } = await openPage(keeper([], { model }))
    await ask('Pay')
    await page.getByLabel('Reason (optional)').fill('too expensive')
    await button('Deny').click()
    await said('As you wish.').waitFor()
    await settled()
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('too expensive')
  })

  it('of an earlier question is decided after a reload, and its answer comes', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper([payTurn, 'Something else.', 'It is paid.']))
    await ask('Pay')
    await page.getByRole('region', { name: 'Allow pay_invoice?' }).waitFor()
    await ask('What else?')
    await said('Something else.').waitFor()
    await settled()
    await page.reload()
    await button('Allow').click()
    await said('It is paid.').waitFor()
    await settled()
  })

  it('leaves a connection for the next question and for its decision, however many wait', async () => {
    const waiting = Array.from({ length: 7 }, () => payTurn)
    const { page, ask, said, button } = await openPage(keeper([...waiting, 'It is paid.']))
    for (const at of waiting.keys()) {
      await ask(`Pay ${at}`)
      await page.getByRole('region', { name: 'Allow pay_invoice?' }).nth(at).waitFor()
    }
    await button('Allow').first().click()
    await said('It is paid.').waitFor()
  })

  it('is one of several of its run, each decided by itself', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper([two, 'Both are decided.']))
    await ask('Pay both')
    await page.getByRole('region', { name: 'Allow pay_invoice?' }).nth(1).waitFor()
    await button('Allow').first().click()
    await page.getByRole('region', { name: 'Allow pay_invoice?' }).nth(1).waitFor({ state: 'detached' })
    await button('Deny').click()
    await said('Both are decided.').waitFor()
    await settled()
  })

  it('that is decided is gone beside one that is not, after a reload and where its question is an earlier one', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper([two, 'Something else.', 'Both are decided.']))
    const cards = page.getByRole('region', { name: 'Allow pay_invoice?' })
    const second = async (): Promise<void> => {
      await cards.nth(1).waitFor({ state: 'detached' })
      expect(await cards.textContent()).toContain('"id": 2')
    }
    await ask('Pay both')
    await cards.nth(1).waitFor()
    await ask('What else?')
    await said('Something else.').waitFor()
    await settled()
    // The steps are read with the decision.
    const read = page.waitForResponse(/\/runs\/[^/]+$/)
    await button('Allow').first().click()
    await read
    await second()
    await page.reload()
    await cards.waitFor()
    await second()
    await button('Allow').click()
    await said('Both are decided.').waitFor()
  })

  it('that is decided is gone after a reload of the page of its run', async () => {
    const { page, ask, button } = await openPage(keeper([two]))
    const cards = page.getByRole('region', { name: 'Allow pay_invoice?' })
    await ask('Pay both')
    await button('Allow').nth(1).waitFor()
    await button('Allow').first().click()
    await cards.nth(1).waitFor({ state: 'detached' })
    // Its events, in which nothing is decided, are read once more.
    const read = page.waitForResponse(/\/runs\/[^/]+$/)
    await page.reload()
    await read
    await cards.nth(1).waitFor({ state: 'detached' })
    expect(await cards.textContent()).toContain('"id": 2')
  })

  it('is decided elsewhere, and the page continues', async () => {
    const { page, ask, said, server } = await openPage(keeper([payTurn, 'It is paid.']))
    await ask('Pay')
    await page.getByRole('region', { name: 'Allow pay_invoice?' }).waitFor()
    await allowFirst(server.url)
    await said('It is paid.').waitFor()
  })

  it('is decided elsewhere beside another one, and gone when the reader returns', async () => {
    const { page, ask, server } = await openPage(keeper([two]))
    const cards = page.getByRole('region', { name: 'Allow pay_invoice?' })
    await ask('Pay both')
    await cards.nth(1).waitFor()
    await allowFirst(server.url)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await cards.nth(1).waitFor({ state: 'detached' })
    expect(await cards.textContent()).toContain('"id": 2')
  })

  it('is not offered to those who may not decide', async () => {
    const auth = { tokens: { 'the-token-of-ada-1': 'ada' } }
    const { page, ask, button } = await openPage(keeper([payTurn]), { auth, approvals: 'service' })
    await page.getByLabel('Token').fill('the-token-of-ada-1')
    await page.keyboard.press('Enter')
    await ask('Pay')
    await page.getByText('Someone who may approve has to decide.').waitFor()
    expect(await button('Allow').count()).toBe(0)
  })

  it('is not offered where the server stores no runs, as it could not take the decision', async () => {
    const { page, ask, button } = await openPage(keeper([payTurn], { sessions: memorySessions() }))
    await ask('Pay')
    await page.getByText('This server stores no runs, so it takes no decision.').waitFor()
    expect(await button(/Allow|Deny/).count()).toBe(0)
  })
})

describeInBrowser('a call that was running when its server died', () => {
  it('is asked about: the reader enters its result', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'sessions.db')
    const sessions = sqliteSessions(path)
    const started = Promise.withResolvers<void>()
    const ship = tool({
      name: 'ship',
      description: 'Ships.',
      input: { type: 'object' },
      execute: () => {
        started.resolve()
        return new Promise(() => {})
      },
    })
    const first = keeper([{ toolCalls: [{ name: 'ship' }] }], { sessions, functions: [ship] })
    const server = await serve(first, { port: 0, log: () => {}, limits: { drainMs: 100 } })
    const { page, ask, said, settled, allowed, button } = await openPage(first, { server })
    await ask('Ship it')
    await started.promise
    allowed.push(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_CONNECTION_RESET|503/)
    const port = Number(new URL(server.url).port)
    await server.close()
    await sessions.close()
    const model = scriptedModel(['It has left.'])
    const second = keeper([], { model, sessions: sqliteSessions(path), functions: [ship] })
    const again = await serve(second, { port, log: () => {} })
    onTestFinished(() => again.close())
    await page.getByRole('region', { name: 'What became of ship?' }).waitFor()
    await page.getByLabel('Result').fill('shipped at 5')
    await button('Use this result').click()
    await said('It has left.').waitFor()
    await settled()
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('shipped at 5')
  })
})

describeInBrowser('a server that restarts in the middle of an answer', () => {
  it('continues it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-page-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'sessions.db')
    const stuck = held('never')
    const first = keeper([{ text: 'Let me see.', toolCalls: [{ name: 'look_up' }] }, stuck.turn], {
      sessions: sqliteSessions(path),
    })
    const server = await serve(first, { port: 0, log: () => {}, limits: { drainMs: 100 } })
    const { page, ask, said, settled, allowed } = await openPage(first, { server })
    await ask('What is it?')
    await said('Let me see.').waitFor()
    await stuck.asked
    allowed.push(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_CONNECTION_RESET|503/)
    const port = Number(new URL(server.url).port)
    await server.close()
    await first.sessions.close()
    await page.getByText('The connection is lost. Trying to continue…').waitFor()
    const second = keeper(['Here it is.'], { sessions: sqliteSessions(path) })
    const again = await serve(second, { port, log: () => {} })
    onTestFinished(() => again.close())
    await said('Here it is.').waitFor()
    await settled()
    expect(await page.locator('section.turn').count()).toBe(1)
  })
})
