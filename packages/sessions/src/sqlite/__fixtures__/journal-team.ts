import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionStore, Swarm } from '@agentkit/core'
import { effect, type Kind, swarmOf, type TeamOptions, worker } from './team.ts'

/** A swarm within a swarm whose tools and models write what they do to a file: `effect <key>`, `call <agent>`. */
export function journalTeam(sessions: SessionStore, kind: Kind, file: string): Swarm {
  const options: TeamOptions = {
    ...{ sessions, budget: { modelCalls: 60, toolCalls: 60, tokens: 100_000 }, swarm: { id: kind } },
    async effect(what, key) {
      await sleep(Math.random() * 10)
      appendFileSync(file, `effect ${what} ${key}\n`)
    },
    async called(agent) {
      appendFileSync(file, `call ${agent}\n`)
      await sleep(Math.random() * 20)
    },
  }
  const count = effect('count', options)
  const look = effect('look', options, { idempotent: true })
  const { swarm: _, ...inside } = options
  const inner = swarmOf('Inner', 'parallel', [worker('Cas', [count], options), worker('Dan', [look], options)], inside)
  const ann = worker('Ann', [look, count], options)
  return swarmOf('Team', kind, kind === 'handoff' ? [inner, ann] : [ann, inner], options)
}
