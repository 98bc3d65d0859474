import { terminalLine } from '@agentkit/core'

/** Work of this length needs no sign that it continues. */
const quietMs = 2_000

/**
 * Shows that work continues once it has taken two seconds, on standard error and only on a terminal.
 * @param title what is done: `Weather is working`
 */
export async function withProgress<Value>(title: string, work: Promise<Value>): Promise<Value> {
  const { stderr } = process
  if (!stderr.isTTY || process.env.TERM === 'dumb') return work
  const startedAt = performance.now()
  let isShown = false
  const timer = setInterval(() => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    if (seconds * 1000 < quietMs) return
    isShown = true
    stderr.write(`\r\u001b[K${terminalLine(title).slice(0, (stderr.columns ?? 80) - 8)} ${seconds} s`)
  }, 500)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (isShown) stderr.write('\r\u001b[K')
  }
}
