import { terminalLine } from '@agentkit/core'

/** Work of this length needs no sign that it continues. */
const quietMs = 2_000

/** A line that shows the progress of work. */
export interface Progress {
  /** Shows the progress, such as `1,200 of 10,000 files`. */
  update(text: string): void
  /** Removes the line. */
  close(): void
}

/**
 * Shows how far work is once it has taken two seconds, on standard error and only on a terminal.
 * @param title until the first update: `Weather is working`
 */
export function openProgress(title: string): Progress {
  const { stderr } = process
  if (!stderr.isTTY || process.env.TERM === 'dumb') return { update() {}, close() {} }
  const startedAt = performance.now()
  let shorten = (line: string, columns: number): string => line.slice(0, columns)
  // Loaded here, as the help of commands does not need it. It is there before the first line is.
  void import('./text-width.ts').then(({ fitToWidth }) => {
    shorten = fitToWidth
  })
  let text = title
  let isShown = false
  const timer = setInterval(() => {
    const ms = performance.now() - startedAt
    if (ms < quietMs) return
    isShown = true
    // Only the last row of a line that takes several rows could be removed.
    const line = shorten(terminalLine(text), Math.max(10, (stderr.columns ?? 80) - 10))
    stderr.write(`\r\u001b[K${line} ${Math.floor(ms / 1000)} s`)
  }, 250)
  timer.unref()
  return {
    update(next) {
      text = next
    },
    close() {
      clearInterval(timer)
      if (isShown) stderr.write('\r\u001b[K')
      isShown = false
    },
  }
}

/** Shows that work continues. */
export async function withProgress<Value>(title: string, work: Promise<Value>): Promise<Value> {
  const progress = openProgress(title)
  return work.finally(progress.close)
}
