import { Agent, AgentKitError, type SessionStore, Swarm, tool } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { modelOf } from './sqlite/__fixtures__/team.ts'

describe.each(storeKinds)('a run in %s that its worker leaves, and cannot release', (kind) => {
  const place = storePlace(kind)
  const patiently = { timeout: 30_000 }

  /** `agent` or a swarm with it as a member, which looks once. */
  const workerOf = (isMember: boolean, sessions: SessionStore, look: () => void): Agent | Swarm => {
    const model = modelOf('Ann', ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'Seen.' : [['look']]))
    const input = { type: 'object' }
    const functions = [tool({ name: 'look', description: 'Looks.', input, idempotent: true, execute: look })]
    const ann = { name: 'Ann', description: 'Looks.', functions, model }
    if (!isMember) return new Agent({ ...ann, sessions })
    return new Swarm({ name: 'Team', collaboration: 'sequence', agents: [new Agent(ann)], sessions })
  }

  it.each([false, true])(
    'is continued by another one once the store works (as a member: %s)',
    patiently,
    async (isMember) => {
      const { runs, ...store } = place.open()
      const { background } = runs
      let isFull = false
      const unlessFull =
        <Values extends unknown[], Result>(write: (...values: Values) => Promise<Result>) =>
        async (...values: Values): Promise<Result> => {
          if (isFull) throw new AgentKitError('storage', 'The disk is full.')
          return write(...values)
        }
      const [append, release, end] = [unlessFull(runs.append), unlessFull(runs.release), unlessFull(runs.end)]
      let hasLeft = false
      const take: typeof background.queue.take = async (given) => (hasLeft ? [] : background.queue.take(given))
      const queue = { ...background.queue, take }
      const sessions = { ...store, runs: { ...runs, append, release, end, background: { ...background, queue } } }
      const leaving = workerOf(isMember, sessions, () => {
        isFull = hasLeft = true
      })
      const first = await leaving.work()
      const { runId } = await leaving.enqueue('Look.', session)
      await expect.poll(() => hasLeft, patiently).toBe(true)
      // Its jobs are left to the other one.
      await first.close()

      const { runs: otherRuns, ...otherStore } = place.open()
      const refused = Promise.withResolvers<void>()
      const takeOver: typeof runs.takeOver = (...values) => {
        const taken = otherRuns.takeOver(...values)
        taken.catch(() => refused.resolve())
        return taken
      }
      const other = workerOf(isMember, { ...otherStore, runs: { ...otherRuns, takeOver } }, () => {})
      const second = await other.work()
      place.afterTest(() => second.close())
      await refused.promise
      isFull = false
      expect(await other.result(runId)).toMatchObject({ finishReason: 'stop', text: 'Seen.' })
    },
  )
})
