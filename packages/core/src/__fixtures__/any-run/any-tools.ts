import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from '../../agents/agent.ts'
import type { Citation } from '../../data/citation.ts'
import type { Model } from '../../contracts/model.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Tool } from '../../contracts/tool.ts'
import type { Random } from '../random.ts'
import { watchedTool as watched } from './watched.ts'
import { otherQuestions } from './witness.ts'

const citation: Citation = { file: 'a.txt', start: 0, end: 1, quote: 'a', chunkId: 'a1', score: { fused: 1 } }
const odd: readonly unknown[] = [undefined, null, () => {}, 1n, [{ type: 'text', text: 'A part.' }], new Map()]

/** Random tools, not all at once, so that each is called often enough. */
export function anyTools(random: Random, model: Model, sessions: SessionStore): Tool[] {
  return allTools(random, model, sessions).filter(({ name }) => name === 'works' || random.oneIn(2))
}

/** Tools that succeed, fail, hang, return too much, need approval, or run an agent. */
export function allTools(random: Random, model: Model, sessions: SessionStore): Tool[] {
  const inner = new Agent({
    name: 'Inner',
    functions: [watched('works', () => 'fine'), watched('waits', () => sleep(random.below(4), 'waited'))],
    model,
    sessions,
    maxSteps: 3,
    retry: { attempts: 2, firstWaitMs: 1 },
    modelTimeoutMs: 30,
  })
  return [
    watched('works', () => ({ fine: true })),
    watched('waits', () => sleep(random.below(6), 'waited')),
    watched('fails', () => {
      throw random.pick<unknown>([new Error('broken'), 'a text', null, { message: 1 }])
    }),
    watched('hangs', () => new Promise(() => {})),
    watched('listens', (_input, { signal }) => sleep(20, 'heard nothing', { signal })),
    watched('tells_all', () => 'All there is to say. '.repeat(random.pick([200, 1_000, 20_000]))),
    watched('cites', (_input, { cite }) => {
      cite([citation])
      return 'See there.'
    }),
    watched('odd', () => random.pick(odd)),
    watched('asks', () => 'paid', true),
    watched(
      'asks_badly',
      () => 'sent',
      () => {
        throw new Error('no idea')
      },
    ),
    watched(
      'may_ask',
      () => 'sent',
      ({ n }) => n === 1,
    ),
    watched('delegates', (_input, { signal }) => {
      return inner.chat(otherQuestions.tool, { signal, ...(random.oneIn(3) && { budget: { modelCalls: 2 } }) })
    }),
  ]
}
