import { readdirSync, readFileSync } from 'node:fs'

/** The CPU time of a process with its running and ended children, in milliseconds. Linux only. */
export function cpuOf(postmaster: number): number {
  const ticks = (fields: readonly string[], from: number, to: number): number =>
    fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0)
  const children = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      const fields = statOf(pid)
      return Number(fields[1]) === postmaster ? [ticks(fields, 11, 13)] : []
    } catch {
      return [] // the process has ended
    }
  })
  // A tick is 10 ms.
  return 10 * children.reduce((sum, one) => sum + one, ticks(statOf(postmaster), 11, 15))
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

/** The fields after the name of a process, which may have spaces. */
function statOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}
