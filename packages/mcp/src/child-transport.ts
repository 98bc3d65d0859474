import type { ChildProcess } from 'node:child_process'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/**
 * A server as a process that keeps no program alive, and does not survive this one. While a call runs, the timer of its
 * request keeps the program alive.
 */
export class ChildTransport extends StdioClientTransport {
  #child: ChildProcess | undefined

  override async start(): Promise<void> {
    await super.start()
    // The SDK has no public access to the process; a test fails if the field has another name.
    this.#child = (this as unknown as { _process?: ChildProcess })._process
    if (!this.#child) return
    const child = this.#child
    track(child)
    child.unref()
    for (const stream of [child.stdin, child.stdout]) unref(stream)
  }

  override async close(): Promise<void> {
    // Nothing else may keep the program alive until the process has ended.
    const keepAlive = setInterval(() => {}, 60_000)
    await super.close().finally(() => clearInterval(keepAlive))
    // The SDK resolves before a process that ignores its signals has been killed.
    if (this.#child?.exitCode === null && this.#child.signalCode === null) this.#child.kill('SIGKILL')
  }
}

const running = new Set<ChildProcess>()
let watching = false

function track(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
  if (watching) return
  watching = true
  process.on('exit', () => {
    for (const each of running) each.kill('SIGKILL')
  })
}

/** The cast holds: the streams of a process are sockets, although their types are wider. */
function unref(stream: unknown): void {
  const socket = stream as { unref?: () => void } | null
  socket?.unref?.()
}
