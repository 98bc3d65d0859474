// A worker whose files make the trouble that their first line names. Any other file is plain text.
import { parentPort } from 'node:worker_threads'
import { answerRequests } from '../parse/answer-requests.ts'
import { parseText } from '../parse/parse-text.ts'
import type { Parser } from '../parse/piece.ts'

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
  wait: (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
  throw: () => {
    throw new TypeError('Not a page.')
  },
}

let filesRead = 0

const parse: Parser = async function* (bytes, signal) {
  const [command = ''] = Buffer.from(bytes).toString().split('\n')
  await troubles[command]?.(signal)
  const parsed = yield* parseText(bytes, signal)
  if (command === 'tired' && filesRead > 0) process.exit(3)
  filesRead++
  return parsed
}

if (parentPort !== null) answerRequests(parentPort, async () => parse)
