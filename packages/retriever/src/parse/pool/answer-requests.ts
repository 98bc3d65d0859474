import type { Parser } from '../../data/piece.ts'
import { parseFile } from '../parse-file.ts'
import type { FromWorker, ParseEnd, ParsePart, ParseRequest, ToWorker } from '../pieces/worker-messages.ts'
import { writeExitReport } from './exit-report.ts'
import { watchLimits } from './watch-limits.ts'
import type { WorkerStart } from './worker-env.ts'

/** The number of parts in flight: one is unpacked while the next is made. */
const mostParts = 8

/** A message costs more than reading a small file: results are batched until they are this large, or this old. */
const mostHeld = { characters: 200_000, milliseconds: 10 }

/** The main loop of a pool process: reads the files that its parent requests, one after the other. */
export function answerRequests(loadParser: (ext: string) => Promise<Parser>): void {
  const { limits } = JSON.parse(process.argv[2] ?? '') as WorkerStart // by `forkWorker`
  const watch = watchLimits(limits)
  const running = new Map<number, { stop: AbortController; partsSent: number; resume: () => void }>()
  let current = -1
  let last = Promise.resolve()
  let ends: { id: number; end: ParseEnd }[] = []
  let held = 0
  let timer: NodeJS.Timeout | undefined

  // A terminal or a service manager signals all processes: the parent decides when this one exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('uncaughtException', (error: unknown) => {
    writeExitReport({ id: current, error: error instanceof Error ? error.message : String(error) })
    process.exit(1)
  })
  process.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'start':
        for (const { id, request } of message.files) {
          running.set(id, { stop: new AbortController(), partsSent: 0, resume: () => {} })
          // A failure here is a bug, and ends the process: the parent reports it.
          last = last.then(() => answer(id, request))
        }
        break
      case 'cancel': {
        const file = running.get(message.id)
        file?.stop.abort()
        file?.resume()
        break
      }
      case 'more': {
        const file = running.get(message.id)
        if (file !== undefined) file.partsSent--
        file?.resume()
        break
      }
    }
  })
  post({ type: 'ready' })

  async function answer(id: number, request: ParseRequest): Promise<void> {
    const file = running.get(id)
    if (file === undefined) return
    current = id
    watch.begin(id)
    const { signal } = file.stop
    const send = async (part: ParsePart): Promise<void> => {
      post({ type: 'part', id, part })
      file.partsSent++
      while (file.partsSent >= mostParts && !signal.aborted) {
        await watch.waitFor(
          new Promise<void>((resolve) => {
            file.resume = resolve
          }),
        )
      }
      signal.throwIfAborted()
    }
    const end = await parseFile(request, { loadParser, send, signal, onBytes: watch.sized })
    running.delete(id)
    if (running.size === 0) watch.rest()
    ends.push({ id, end })
    if (end.outcome === 'read') held += end.characters
    timer ??= setTimeout(sendEnds, mostHeld.milliseconds)
    if (running.size === 0 || held >= mostHeld.characters) sendEnds()
  }

  function sendEnds(): void {
    clearTimeout(timer)
    timer = undefined
    post({ type: 'ends', ends })
    ends = []
    held = 0
  }

  function post(message: FromWorker): void {
    process.send?.(message)
  }
}
