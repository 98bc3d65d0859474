import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '@agentkit/test-postgres'
import { afterAll, describe, expect, it } from 'vitest'
import { killWorkers } from './__fixtures__/trials/kill-workers.ts'
import type { TrialReport } from './__fixtures__/trials/load-trial.ts'
import { poisonWorkers, rebuildQueue, startTogether } from './__fixtures__/trials/more-trials.ts'

// Three worker processes under load that are killed. The scripts in `__fixtures__/trials` do the same for longer.

const folder = mkdtempSync(join(tmpdir(), 'agentkit-trials-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const file = (): string => join(folder, `sessions-${files++}.db`)
const soon = { staleAfterMs: 2_000 }
const timeout = 600_000

/** Fails with the seed, so that the same kills can be tried again by a script. */
function expectKept({ failed, ...report }: TrialReport, seed: number, expectedFailures: readonly unknown[] = []): void {
  const { open, wrong, finishedSteps, writes, calls } = report
  const none = { open: [], wrong: [], finishedSteps: [], writes: [], calls: [] }
  expect({ open, wrong, finishedSteps, writes, calls }, `seed ${seed}`).toEqual(none)
  expect(failed, `seed ${seed}`).toEqual(expectedFailures)
}

function newSeed(): number {
  const seed = Number(process.env.AGENTKIT_SEED ?? Math.floor(Math.random() * 1e6))
  console.log(`seed ${seed}`)
  return seed
}

// At once, since most of their time is waiting: for a dead process to be noticed, for the next attempt, for a due time.
describe.concurrent('workers in three processes', () => {
  it('end each run of agents and swarms in Postgres, though five of them are killed', { timeout }, async () => {
    const seed = newSeed()
    const report = await killWorkers({ place: await testDatabase(), seed, kills: 5, runs: 60, thinkMs: 100 })
    expectKept(report, seed)
    expect(report.statuses).toEqual({ done: report.accepted })
    expect(report.deaths).toEqual([])
  })

  it('fail a run at its fifth death, and resume the others of the same processes', { timeout }, async () => {
    const seed = newSeed()
    const report = await poisonWorkers({
      place: file(),
      seed,
      count: 1,
      runs: 30,
      concurrency: 4,
      drainMs: 400_000,
      // Longer than a run may go without confirming that it is held: a worker that a busy machine holds up does not die of it too.
      staleAfterMs: 5_000,
    })
    expectKept(report, seed)
    expect(report.poisonous).toMatchObject([{ status: 'failed', error: { code: 'crashed' } }])
    expect(report.deaths).toHaveLength(5)
  })

  it('of two versions repeat no effect and no finished step while the queue in Postgres is built again', {
    timeout,
  }, async () => {
    const seed = newSeed()
    const report = await rebuildQueue({ place: await testDatabase(), seed, count: 4, runs: 50, thinkMs: 50 })
    expectKept(report, seed)
    expect(report.statuses).toEqual({ done: report.accepted })
  })

  it.each([
    ['SQLite', async () => file()],
    ['Postgres', testDatabase],
  ])('start each due time of a schedule in %s once, though they are killed', { timeout }, async (_, place) => {
    const rounds = 3
    const { started, kills } = await startTogether(await place(), { schedules: 40, rounds, ...soon })
    expect(started).toEqual(Object.fromEntries(Object.keys(started).map((name) => [name, rounds])))
    expect(Object.keys(started)).toHaveLength(40)
    expect(kills).toBeGreaterThan(0)
  })
})
