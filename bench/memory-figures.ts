import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type AssistantMessage,
  type MemoryOf,
  type Message,
  type Model,
  type SessionStore,
} from '@agentkit/core'
import { createMemory } from '@agentkit/memory'
import { sqliteSessions } from '@agentkit/sessions'
import type { Figure } from './figures.ts'
import { median } from './processes.ts'

const turns = 100_000
const owner = { agentId: 'helper', userId: 'ada' }
const answerOf = (text: string): AssistantMessage => ({ v: 1, role: 'assistant', content: [{ type: 'text', text }] })

/**
 * Figures of memory over a file of SQLite: searches of a user with 100,000 turns, and the cost of a turn with memory,
 * compared with a turn without.
 */
export async function memoryFigures(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-bench-memory-'))
  try {
    return [...(await searches(join(folder, 'turns.db'))), ...(await turnCost(folder))]
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function searches(path: string): Promise<Figure[]> {
  const store = sqliteSessions(path)
  process.stderr.write(`memory: ${turns} turns …\n`)
  await fill(store)
  const { search } = createMemory()({ agentId: owner.agentId, sessions: store })
  process.stderr.write('memory: searches …\n')
  const first = await timed(() => search(wordsOf(0, 4), owner))
  const times: number[] = []
  for (let index = 1; index <= 1_000; index++) {
    // A new turn before every fifth search, as in an agent that is used.
    if (index % 5 === 0) await say(store, turns + index, { sessionId: `new-${index}`, version: 0 })
    times.push(await timed(() => search(wordsOf(index * 7, 2 + (index % 5)), owner)))
  }
  await store.close()
  times.sort((one, other) => one - other)
  return [
    { name: 'M1 first search over 100,000 turns', value: first, unit: 'ms', goal: 15_000 },
    { name: 'M2 search over 100,000 turns, p95', value: times[949] ?? 0, unit: 'ms', goal: 20 },
  ]
}

/** A turn with an instant model, in the order A B A B …, so that both have the same machine. */
async function turnCost(folder: string): Promise<Figure[]> {
  const kinds: [string, MemoryOf | undefined][] = [
    ['without', undefined],
    ['with', createMemory()],
  ]
  const agents = kinds.map(([name, memory]) => {
    const sessions = sqliteSessions(join(folder, `${name}.db`))
    return new Agent({ name: 'Helper', model: instant, sessions, ...(memory && { memory }) })
  })
  process.stderr.write('memory: turns …\n')
  const times = agents.map((): number[] => [])
  for (let round = 0; round < 60; round++) {
    for (const [place, agent] of agents.entries()) {
      const began = process.cpuUsage()
      for (let turn = 0; turn < 100; turn++) {
        await agent.chat(`Question ${turn}`, { userId: 'ada', sessionId: `${round}` })
      }
      const { user, system } = process.cpuUsage(began)
      if (round >= 10) times[place]?.push((user + system) / 100)
    }
  }
  for (const { sessions } of agents) await sessions.close()
  const [without = 0, withMemory = 0] = times.map(median)
  const more = (withMemory / without - 1) * 100
  return [
    {
      name: `M3 a turn with memory, beside one of ${Math.round(without)} µs of CPU`,
      value: more,
      unit: '% more',
      goal: 3,
    },
  ]
}

const instant: Model = {
  id: 'bench/instant',
  async *stream() {
    yield { type: 'text-delta', text: 'Yes.' }
    yield {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 1, outputTokens: 1 },
      message: { ...answerOf('Yes.'), model: 'bench/instant' },
    }
  },
}

/** 5,000 sessions of 20 turns, one after the other. The calls of 500 turns are made at once, so that they are committed together. */
async function fill(store: SessionStore): Promise<void> {
  for (let from = 0; from < turns; from += 500) {
    const place = (turn: number) => ({ sessionId: `s${Math.floor(turn / 20)}`, version: (turn % 20) * 2 }) // a turn moves it twice
    await Promise.all(Array.from({ length: 500 }, (_, index) => say(store, from + index, place(from + index))))
  }
}

/** A turn of about 70 words, of 20,000 that are as frequent as in a language. */
async function say(
  store: SessionStore,
  turn: number,
  { sessionId, version: expectedVersion }: { sessionId: string; version: number },
): Promise<void> {
  const key = { ...owner, sessionId }
  const runId = `run_${turn}`
  const input: Message[] = [{ v: 1, role: 'user', content: wordsOf(turn * 3, 20) }]
  const answer = answerOf(wordsOf(turn * 3 + 1, 50))
  const begun = store.begin(key, { runId, expectedVersion, input })
  await Promise.all([begun, store.append(runId, [answer]), store.end(runId, 'done')])
}

function wordsOf(seed: number, count: number): string {
  let state = seed + 1
  const words: string[] = []
  for (let word = 0; word < count; word++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    // Zipf: the word of rank r is r times as rare as the first.
    words.push(`w${Math.floor(20_000 ** (state / 2 ** 32)).toString(36)}`)
  }
  return words.join(' ')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
