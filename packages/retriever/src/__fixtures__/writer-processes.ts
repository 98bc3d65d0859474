import { spawnSync } from 'node:child_process'

/** The processes of this one that write an index, by the list that `ps` gives. */
export function writerProcesses(): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/)
    return Number(parent) === process.pid && line.includes('writer-process') ? [Number(pid)] : []
  })
}
