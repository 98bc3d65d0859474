// A process of the pool whose files make the trouble that their first line names. Any other file is plain text.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { enableCompileCache } from 'node:module'
import type { Parser } from '../data/piece.ts'
import type { WorkerStart } from '../parse/pool/worker-env.ts'

const { compileCache } = JSON.parse(process.argv[2] ?? '') as WorkerStart
if (compileCache !== undefined) enableCompileCache(compileCache)
const { answerRequests } = await import('../parse/pool/answer-requests.ts')
const { parseText } = await import('../parse/text/parse-text.ts')

const troubles: Record<string, (signal: AbortSignal) => unknown> = {
  loop: () => {
    for (;;);
  },
  exit: () => process.exit(3),
  crash: () => {
    setTimeout(() => {
      throw new Error('Out of ink.')
    })
    return new Promise(() => {})
  },
  memory: () => {
    const hoard: number[][] = []
    for (;;) hoard.push(new Array(100_000).fill(0.5))
  },
  buffers: () => {
    const hoard: Buffer[] = []
    for (;;) hoard.push(Buffer.alloc(10_000_000, 1))
  },
  hang: () => new Promise(() => {}),
  signal: async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(process.pid, signal)
    await nextTurn()
  },
  wait: (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  throw: () => {
    throw new TypeError('Not a page.')
  },
}

let filesRead = 0

const parse: Parser = async function* (bytes, signal) {
  const [command = ''] = Buffer.from(bytes).toString().split('\n')
  await troubles[command]?.(signal)
  const text = command === 'env' ? Buffer.from(Object.keys(process.env).join(' ')) : bytes
  const parsed = yield* parseText(text, signal)
  if (command === 'tired' && filesRead > 0) process.exit(3)
  filesRead++
  return parsed
}

answerRequests(async () => parse)
