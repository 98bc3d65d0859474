import { terminalLine } from '@agentkit/core'

const printed = new Set<string>()
/** Messages may name files, of which a process can see any number. */
const mostPrinted = 1_000

/** Prints a message once in this process: agents of one file that make their own contexts do not repeat each other. */
export function printOnce(text: string): void {
  if (printed.has(text)) return
  if (printed.size === mostPrinted) printed.clear()
  printed.add(text)
  console.warn(terminalLine(`agentkit: ${text}`))
}
