import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { peaksOfChildren } from './processes.ts'
import { questionsOf } from './retrieval-folder.ts'
import { agentkit } from './retrievers/agentkit.ts'
import { minisearch } from './retrievers/minisearch.ts'
import type { OpenSearcher } from './retrievers/searcher.ts'
import type { Measured } from './worker.ts'

/** A job on a folder in a fresh process. */
export type RetrievalJob = 'first sync' | 'large file' | 'second sync' | 'one change' | 'open and ask' | 'question'

const searchers: Record<string, OpenSearcher> = {
  minisearch,
  basic: agentkit('basic'),
  localstore: agentkit('localstore'),
}

const [contestant = '', folder = '', index = '', job = ''] = process.argv.slice(2)
const open = searchers[contestant]
if (!open) throw new Error(`There is no ${contestant}.`)
const questions = questionsOf(500)
const blocked = monitorEventLoopDelay({ resolution: 1 })

try {
  const searcher = open(folder, index)
  const measured = await play(job as RetrievalJob)
  process.send?.(measured)
  await searcher.close()

  async function play(what: RetrievalJob): Promise<Measured> {
    const ask = async (question: string): Promise<void> => {
      if ((await searcher.search(question)) === 0) throw new Error(`Nothing found for "${question}".`)
    }
    switch (what) {
      case 'large file':
        return await measureWithChildren(() => searcher.sync(), searcher.settled)
      case 'first sync':
      case 'second sync':
        return await measure(() => searcher.sync(), searcher.settled)
      case 'one change': {
        await searcher.sync()
        await appendFile(join(folder, '7/7.md'), '\nA quetzalcoatlus flew by.\n')
        return await measure(async () => {
          await searcher.sync()
          await ask('quetzalcoatlus')
        }, searcher.settled)
      }
      case 'open and ask':
        return await measure(() => ask(questions[0] ?? ''))
      case 'question': {
        for (const question of questions.slice(0, 100)) await ask(question)
        const { cpuMs, wallMs, ...rest } = await measure(async () => {
          for (const question of questions.slice(100)) await ask(question)
        })
        const units = questions.length - 100
        return { ...rest, units, cpuMs: cpuMs / units, wallMs: wallMs / units }
      }
    }
  }
} catch (error) {
  process.send?.({ error: String((error as Error).stack ?? error) })
}

/** Measures also the memory of the processes that parse. */
async function measureWithChildren(work: () => Promise<void>, after: () => Promise<void>): Promise<Measured> {
  let childMb = Number.NaN
  const timer = setInterval(() => {
    childMb = Math.max(...peaksOfChildren(), childMb || 0)
  }, 200)
  const measured = await measure(work, after)
  clearInterval(timer)
  return { ...measured, childMb }
}

async function measure(work: () => Promise<void>, after: () => Promise<void> = async () => {}): Promise<Measured> {
  blocked.enable()
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  await work()
  const wallMs = performance.now() - startedAt
  // Background work is included.
  await after()
  const cpu = process.cpuUsage(cpuBefore)
  blocked.disable()
  return {
    units: 1,
    cpuMs: (cpu.user + cpu.system) / 1000,
    wallMs,
    peakMb: process.resourceUsage().maxRSS / 1024,
    blockedMs: blocked.max / 1e6,
  }
}
