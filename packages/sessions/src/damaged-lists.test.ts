import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'

const owner = { agentId: 'writer', userId: 'ann' }

describe.each(storeKinds)('lists of %s with a damaged row', (kind) => {
  const place = storePlace(kind)
  let agent: Agent
  let lines: string[]
  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'warn').mockImplementation((line) => void lines.push(String(line)))
    const model = scriptedModel(Array(2).fill({ text: 'Fine.', usage: { inputTokens: 3, outputTokens: 2 } }))
    agent = new Agent({ name: 'Writer', functions: [], model, sessions: place.open() })
  })
  afterEach(() => void vi.restoreAllMocks())

  it.each(['usage', 'error', 'cost', 'sources'])(
    'show the runs, one without its `%s`, and say so once',
    async (part) => {
      const [damaged, fine] = [await ask('a'), await ask('b')]
      await place.execute(`UPDATE runs SET ${part} = '{half' WHERE run_id = '${damaged}'`)
      for (const _ of [1, 2]) {
        const [second, first] = await agent.runs({ userId: 'ann' })
        expect(second).toMatchObject({ runId: fine, usage: { inputTokens: 3 } })
        expect(first).toMatchObject({ runId: damaged, status: 'done', finishReason: 'stop', sources: [] })
        if (part !== 'sources') expect(first).not.toHaveProperty(part)
      }
      expect(lines).toEqual([expect.stringContaining(`The ${part} of the run ${damaged} cannot be read`)])
      await expect(agent.result(damaged)).rejects.toMatchObject({ code: 'storage', runId: damaged })
    },
  )

  it('show a run that waits with the approvals that can be read', async () => {
    const store = agent.sessions.runs ?? expect.fail()
    const approval = { callId: 'c', name: 'pay', input: {}, kind: 'approval' } as const
    const approvals = ['apr_a', 'apr_b'].map((approvalId) => ({ ...approval, approvalId }))
    const runId = `of ${kind}`
    const run = { runId, agentId: 'writer', expectedVersion: 0, input: [], isResumable: true, keepsEvents: true }
    await store.create({ ...owner, sessionId: 'a' }, run)
    await store.suspend(runId, { attempt: 1, approvals })
    await place.execute(`UPDATE approvals SET body = '{half' WHERE approval_id = 'apr_a'`)
    expect(await agent.runs()).toMatchObject([{ status: 'waiting', approvals: [approvals[1]] }])
    expect(lines).toHaveLength(1)
  })

  it('find the other sessions, and have all turns where only their usage is damaged', async () => {
    const damaged = await ask('a')
    await ask('b')
    await place.execute(`UPDATE messages SET body = '{half' WHERE run = (SELECT number FROM runs WHERE run_id = '${damaged}');
      UPDATE runs SET usage = '{half'`)
    expect(await agent.sessions.list(owner, { q: 'fine' })).toMatchObject([{ sessionId: 'b' }])
    expect(lines).toEqual([expect.stringContaining(`The messages of the run ${damaged} cannot be read`)])
    expect(await agent.sessions.turns({ ...owner, sessionId: 'b' })).toMatchObject([{ status: 'done' }])
  })

  it('have the other schedules', async () => {
    for (const name of ['one', 'two']) await agent.schedule(name, { cron: '0 0 1 1 *' }, 'Write.')
    const column = kind === 'SQLite' ? 'entry' : 'body'
    await place.execute(`UPDATE schedules SET ${column} = '{half' WHERE name = 'one'`)
    expect(await agent.schedules()).toMatchObject([{ name: 'two' }])
    expect(lines).toEqual([expect.stringMatching(/schedule "?one"? cannot be read/)])
    await agent.schedule('one', { cron: '0 0 1 1 *' }, 'Write.')
    expect(await agent.schedules()).toHaveLength(2)
  })

  it.each(['day', 'model', 'session'] as const)('sum the usage by %s', async (by) => {
    await ask('a')
    const damaged = await ask('b')
    const run = `(SELECT number FROM runs WHERE run_id = '${damaged}')`
    await place.execute(
      `UPDATE messages SET body = '{"role":"assistant","content":"half' WHERE run = ${run} AND position = 1`,
    )
    const rows = (await agent.sessions.runs?.usage?.(owner, { by, runs: 9, limit: 9 })) ?? []
    const keys = { day: [expect.any(String)], model: [undefined, 'test/scripted'], session: ['a', 'b'] }[by]
    expect(rows.map(({ key }) => key)).toEqual(keys)
    expect(rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(6)
  })

  async function ask(sessionId: string): Promise<string> {
    return (await agent.stream('Write.', { userId: 'ann', sessionId }).result).runId
  }
})
