import { type Agent, type RunResult, validateTranscript } from '@agentkit/core'
import { workOn } from '@agentkit/core/internal'
import { describe, expect, it } from 'vitest'
import { type StoreKind, type StorePlace, storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { steps } from './sqlite/__fixtures__/steps.ts'
import { acquireFile, releaseFile } from './sqlite/database/shared-file.ts'

const patiently = { timeout: 60_000 }

describe.each(storeKinds)('workers whose %s has no room', (kind) => {
  const place = storePlace(kind)

  it('say so, lose and repeat nothing, and continue once there is room', async () => {
    const effects: string[] = []
    const errors: unknown[] = []
    const agent = steps({ sessions: place.open() })
    const accepted = await agent.enqueueMany(itemsOf(12))
    const other = steps({ sessions: place.open(), effect: async (line) => void effects.push(line) })
    const worker = await workOn([other], { concurrency: 4, onError: (error) => errors.push(error) })
    place.afterTest(() => worker.close())
    await expect.poll(() => effects.length, patiently).toBeGreaterThan(4)
    const makeRoom = await fillDisk[kind](place)
    await expect.poll(() => errors.length, patiently).toBeGreaterThan(3)
    await expect(agent.enqueue('x'.repeat(20_000))).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringMatching(
        kind === 'SQLite'
          ? /^The session database .* has no room left\. Free space on its disk\.$/
          : /^The disk of Postgres at postgres:.* is full\. Free space on it\.$/,
      ),
    })
    await makeRoom()
    await expectAllEnded(agent, accepted, effects)
    expect(errors).toContainEqual(expect.objectContaining({ code: 'storage' }))
    const { runId } = await agent.enqueue('And one more.')
    expect((await untilEnded(agent, runId)).finishReason).toBe('stop')
  })
})

describe('workers with one connection to Postgres', () => {
  const place = storePlace('Postgres')

  it('queue for it with 40 runs, 40 readers and their writes at once', async () => {
    const effects: string[] = []
    const agent = steps({ sessions: place.open('agentkit', { poolSize: 1 }) })
    const accepted = await agent.enqueueMany(itemsOf(40))
    const busy = place.open('agentkit', { poolSize: 1 })
    const worker = await steps({ sessions: busy, effect: async (line) => void effects.push(line) }).work({
      concurrency: 40,
    })
    place.afterTest(() => worker.close())
    await expectAllEnded(agent, accepted, effects)
    expect((await agent.runs({ limit: 100 })).map(({ attempts }) => attempts)).toEqual(Array(40).fill(1))
  })
})

function itemsOf(count: number): { input: string; userId: string; sessionId: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ input: `Work ${index}.`, userId: `user${index % 3}`, sessionId: `s${index}` },
  }))
}

async function expectAllEnded(
  agent: Agent,
  accepted: readonly { runId: string }[],
  effects: readonly string[],
): Promise<void> {
  const results = await Promise.all(accepted.map(({ runId }) => untilEnded(agent, runId)))
  for (const { finishReason, error, messages } of results) {
    expect([finishReason, error]).toEqual(['stop', undefined])
    expect(validateTranscript(messages)).toEqual([])
  }
  // The tool that is not idempotent.
  const writes = effects.filter((line) => line.includes(' write '))
  expect(new Set(writes).size).toBe(writes.length)
}

/** Reports of calls of unknown outcome that they were made. */
async function untilEnded(agent: Agent, runId: string): Promise<RunResult> {
  for (;;) {
    const result = await agent.result(runId)
    if (result.finishReason !== 'approval') return result
    for (const { approvalId } of result.approvals) await agent.decide(runId, { [approvalId]: { result: 'done' } })
  }
}

/** Fills the disk, and returns a function that frees it. */
const fillDisk: Record<StoreKind, (place: StorePlace) => Promise<() => Promise<void>>> = {
  async SQLite(place) {
    // The stores of this process share the connection, whose limit is that of SQLite for its file.
    const shared = acquireFile(place.address(), 'normal')
    place.afterTest(() => releaseFile(shared))
    const { database } = shared
    const limitPages = (count: number): void => database.exec(`PRAGMA max_page_count = ${count}`)
    limitPages(1) // SQLite takes the present size
    return async () => limitPages(2 ** 30)
  },
  async Postgres(place) {
    // The error of Postgres on a full disk.
    await place.execute(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`)
    // Each table in a transaction of its own: both locks in one would deadlock with the workers' writes.
    for (const table of ['messages', 'runs'])
      await place.execute(
        `CREATE TRIGGER full_disk BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`,
      )
    return async () => {
      for (const table of ['messages', 'runs']) await place.execute(`DROP TRIGGER full_disk ON ${table}`)
    }
  },
}
