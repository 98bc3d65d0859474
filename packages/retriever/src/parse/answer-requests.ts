import type { MessagePort } from 'node:worker_threads'
import { parseFile } from './parse-file.ts'
import type { Parser } from './piece.ts'
import type { FromWorker, ParsePart, ParseRequest, ToWorker } from './worker-messages.ts'

/** Parts that may be on their way at once: one is unpacked while the next is made. */
const mostParts = 2

/** A worker's work: reads one file after the other, as it is asked to. */
export function answerRequests(port: MessagePort, loadParser: (ext: string) => Promise<Parser>): void {
  const running = new Map<number, { stop: AbortController; partsSent: number; goOn: () => void }>()
  let last = Promise.resolve()

  port.on('message', (message: ToWorker) => {
    const file = running.get(message.id)
    switch (message.type) {
      case 'start':
        running.set(message.id, { stop: new AbortController(), partsSent: 0, goOn: () => {} })
        // A failure here is a bug, and ends the worker: whoever waits is told.
        last = last.then(() => answer(message.id, message.request))
        break
      case 'cancel':
        file?.stop.abort()
        file?.goOn()
        break
      case 'more':
        if (file !== undefined) file.partsSent--
        file?.goOn()
        break
    }
  })
  say({ type: 'ready' })

  async function answer(id: number, request: ParseRequest): Promise<void> {
    const file = running.get(id)
    if (file === undefined) return
    const { signal } = file.stop
    const send = async (part: ParsePart): Promise<void> => {
      say({ type: 'part', id, part })
      file.partsSent++
      while (file.partsSent >= mostParts && !signal.aborted) {
        await new Promise<void>((resolve) => {
          file.goOn = resolve
        })
      }
      signal.throwIfAborted()
    }
    const end = await parseFile(request, { loadParser, send, signal })
    running.delete(id)
    say({ type: 'end', id, end })
  }

  function say(message: FromWorker): void {
    port.postMessage(message)
  }
}
