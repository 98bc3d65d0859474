import { terminalLine } from './terminal-text.ts'

/** Prints a line on stderr. Where its reader has left, the line is lost, and the process continues. */
export function printLine(line: string): void {
  const { stderr } = process
  stderr.write(`${terminalLine(line)}\n`, (error) => {
    // Node ends a process whose stream fails without a listener.
    if (error && stderr.listenerCount('error') === 0) stderr.once('error', () => {})
  })
}
