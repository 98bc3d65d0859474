import { tool } from '@agentkit/core'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../__fixtures__/requests.ts'
import { storedAgents } from '../__fixtures__/stored-agent.ts'
import { createReaders } from '../capacity/readers.ts'
import { releaseSilent } from './release-silent.ts'

const storedAgent = storedAgents()
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Looks often, so that a test does not wait. */
function releasing(agent: Parameters<typeof releaseSilent>[0], readers = createReaders()): AbortController {
  const stop = new AbortController()
  stops.push(() => stop.abort())
  void releaseSilent(agent, { readers, signal: stop.signal, everyMs: 5 })
  return stop
}

/** A resumable run whose first call of its model never ends. */
async function silentRun(functions = [locked()]) {
  let asked = 0
  const { agent, sessions } = storedAgent(
    [
      () => {
        asked++
        return functions.length > 0 && asked < 2 ? { toolCalls: [{ name: 'lock' }] } : new Promise<string>(() => {})
      },
      () => {
        asked++
        return new Promise<string>(() => {})
      },
    ],
    { functions },
  )
  const run = agent.stream('Hi', { userId: 'ada', sessionId: 's', resumable: true })
  void run.result
  await until(() => asked > 0)
  return { agent, sessions, run, asked: () => asked }
}

let open = (): void => {}
function locked() {
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  return tool({
    name: 'lock',
    description: 'Waits.',
    input: { type: 'object' },
    execute: async () => {
      await gate
      return 'open'
    },
  })
}

describe('a resumable run while its server stops', () => {
  it('is handed back when its model is silent and no client reads it', async () => {
    const { agent, sessions, run } = await silentRun([])
    releasing(agent)
    expect((await run.result).error?.code).toBe('aborted')
    expect(await sessions.runs?.read(run.runId)).toMatchObject({ isFree: true, record: { status: 'running' } })
  })

  it('stays while a client reads it', async () => {
    const { agent, sessions, run } = await silentRun([])
    const readers = createReaders()
    const leave = readers.add(run.runId)
    let looked = 0
    releasing(agent, {
      ...readers,
      has: (runId) => {
        looked++
        return readers.has(runId)
      },
    })
    await until(() => looked > 3)
    expect((await sessions.runs?.read(run.runId))?.isFree).toBeFalsy()
    leave()
    expect((await run.result).error?.code).toBe('aborted')
  })

  it('stays while a tool runs', async () => {
    const { agent, sessions, run, asked } = await silentRun()
    await until(() => asked() === 1)
    let looked = 0
    releasing(agent, { ...createReaders(), has: () => ++looked < 0 })
    await until(() => looked > 3)
    expect((await sessions.runs?.read(run.runId))?.isFree).toBeFalsy()
    open()
    expect((await run.result).error?.code).toBe('aborted')
    expect(asked()).toBe(2)
    expect((await sessions.runs?.read(run.runId))?.isFree).toBe(true)
  })
})
