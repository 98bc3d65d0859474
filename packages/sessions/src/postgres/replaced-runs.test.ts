import { Agent } from '@agentkit/core'
import { postgresQueue } from '@agentkit/queue-postgres'
import { testDatabase } from '@agentkit/test-postgres'
import { scriptedModel } from '@agentkit/testing'
import pg from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { session } from '../sqlite/__fixtures__/background.ts'
import { queryAt } from './__fixtures__/query-at.ts'
import { postgresSessions } from './postgres-sessions.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

it.each(['a background run', 'a direct run'])(
  'begins a run that was enqueued while %s replaced others',
  async (kind) => {
    const url = await testDatabase()
    const sessions = postgresSessions(url, { queue: postgresQueue(url) })
    closing.push(() => sessions.close())
    const agent = new Agent({ name: 'Ann', model: scriptedModel(['Done.', 'Done.']), sessions })
    const { runId: replaces } = await agent.enqueue('First.', session)
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    // The replacing run waits for the row of the replaced run, and has read the session's other runs by then.
    await holder.query(`BEGIN; SELECT 1 FROM agentkit.runs WHERE run_id = '${replaces}' FOR UPDATE`)
    const options = { ...session, replaces }
    const replacing =
      kind === 'a direct run' ? agent.stream('Again.', options).result : agent.enqueue('Again.', options)
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await expect.poll(() => queryAt(url, waiting), { timeout: 10_000 }).toHaveLength(1)
    const { runId: later } = await agent.enqueue('Later.', session)
    await holder.query('COMMIT')
    await holder.end()
    const { runId } = await replacing
    expect((await sessions.runs?.read(later))?.record).not.toHaveProperty('replaced')
    const worker = await agent.work()
    closing.push(() => worker.close())
    expect(await agent.result(later)).toMatchObject({ finishReason: 'stop' })
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'stop' })
    expect(await agent.result(replaces)).toMatchObject({ finishReason: 'aborted' })
  },
)

it('replaces many turns, and those of their members, by as many statements as one', async () => {
  const sessions = postgresSessions(await testDatabase())
  closing.push(() => sessions.close())
  const turn = async (agentId: string, runId: string, replaces?: string): Promise<number> => {
    const key = { agentId, userId: 'ann', sessionId: 's' }
    const { version = 0 } = (await sessions.load(key)) ?? {}
    const input = [{ v: 1 as const, role: 'user' as const, content: runId }]
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    await sessions.begin(key, { runId, expectedVersion: version, input, ...(replaces !== undefined && { replaces }) })
    const { length } = queries.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('SET replaced'))
    queries.mockRestore()
    await sessions.end(runId, 'done')
    return length
  }
  for (let index = 0; index < 20; index++) {
    await turn('team', `r${index}`)
    await turn('team/clerk', `r${index}/call`)
  }
  expect(await turn('team', 'again', 'r19')).toBe(2)
  expect(await turn('team', 'more', 'r5')).toBe(2)
  const statuses = (await sessions.turns({ agentId: 'team/clerk', userId: 'ann', sessionId: 's' })).map(
    ({ runId, status }) => `${runId} ${status}`,
  )
  expect(statuses.filter((line) => line.endsWith('done'))).toEqual([0, 1, 2, 3, 4].map((id) => `r${id}/call done`))
})

it('ends many members that wait, and those below them, by as many statements as one', async () => {
  const url = await testDatabase()
  const sessions = postgresSessions(url)
  closing.push(() => sessions.close())
  const replace = async (members: number): Promise<number> => {
    const key = { agentId: 'team', userId: 'ann', sessionId: `s${members}` }
    const runId = `r${members}`
    await sessions.begin(key, { runId, expectedVersion: 0, input: [] })
    const columns = 'run_id, session, agent_id, user_id, status, holds_session, in_tree, parent, root, created_at'
    const below = (id: string, parent: string): string => `INSERT INTO agentkit.runs (${columns})
      SELECT '${runId}/' || ${id}, (SELECT max(id) FROM agentkit.sessions), agent_id, user_id, 'waiting', false, true, ${parent},
        number, 1
      FROM agentkit.runs, generate_series(1, ${members}) AS n WHERE run_id = '${runId}'`
    await queryAt(
      url,
      `UPDATE agentkit.runs SET status = 'waiting', holds_session = false, in_tree = true WHERE run_id = '${runId}';
      INSERT INTO agentkit.sessions (key, agent_id, user_id, session_id, created_at, updated_at)
        VALUES ('${runId}', 'team/clerk', 'ann', 's${members}', 1, 1);
      ${below('n', 'run_id')}; ${below("n || '/x'", "run_id || '/' || n")}`,
    )
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    await sessions.begin(key, { runId: `new-${runId}`, expectedVersion: 1, input: [], replaces: runId })
    // A heartbeat of the store may come between.
    const { length } = queries.mock.calls.filter(([asked]) => JSON.stringify(asked).includes('.runs'))
    queries.mockRestore()
    const text = `SELECT count(*)::int AS members, bool_and(replaced AND error LIKE '%replaces this one%') AS have_ended
      FROM agentkit.runs WHERE run_id LIKE '${runId}/%' AND status = 'failed'`
    expect(await queryAt(url, text)).toEqual([{ members: 2 * members, have_ended: true }])
    return length
  }
  await replace(2)
  const ofOne = await replace(1)
  expect(ofOne).toBeGreaterThan(1)
  expect(await replace(40)).toBe(ofOne)
})
