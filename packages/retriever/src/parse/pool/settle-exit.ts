import type { UnreadableStatus } from '../../data/unreadable-file.ts'
import { type ExitReport, readExitReport } from './exit-report.ts'
import { exceededReason, limitsMark, type ParseLimits } from './parse-limits.ts'
import { fullLoad, type Task } from './task.ts'

/** The exit of a process that read files. */
export type WorkerExit = {
  signal: NodeJS.Signals | null
  /** The end of what it has written to stderr. */
  stderr: string
  limits: ParseLimits
  /** How many files it had read before. */
  filesRead: number
}

/**
 * Resolves the file that caused an exit.
 *
 * @param left the tasks that the process had, in the order of reading
 * @returns the tasks for another worker
 */
export function settleExit(left: readonly [number, Task][], exit: WorkerExit): Task[] {
  const report = readExitReport(exit.stderr)
  const tasks = left.map(([, task]) => task)
  const reported = report && left.find(([id]) => id === report.id)?.[1]
  const only = tasks.length === 1 ? tasks[0] : undefined
  const cause = reported ?? only
  if (cause === undefined) {
    // With a process per file, the cause will be known.
    for (const task of tasks) retryAlone(task)
    return tasks
  }
  const isFirst = exit.filesRead === 0 && tasks[0] === cause
  if (!cause.isRetry && !(reported && isOwnFault(report, isFirst))) {
    retryAlone(cause)
    return tasks
  }
  cause.resolve({ outcome: 'unreadable', ...exitFailure(report, exit) })
  return tasks.filter((task) => task !== cause)
}

/** Memory and faults may be leftovers of earlier files, CPU time is not. */
function isOwnFault(report: ExitReport | undefined, isFirst: boolean): boolean {
  if (report && 'limit' in report) return report.limit !== 'memory' || report.before < report.most / 3
  return isFirst
}

type Failure = { status: UnreadableStatus; hash: string; reason: string }

function exitFailure(report: ExitReport | undefined, { signal, limits }: WorkerExit): Failure {
  if (report && 'limit' in report) {
    // A wall-clock timeout may be caused by the machine, so the next sync tries again.
    const hash = report.limit === 'wall' ? '' : limitsMark(limits)
    return { status: 'too-large', hash, reason: exceededReason(report) }
  }
  if (report) return { status: 'corrupt', hash: '', reason: `Its parser failed: ${report.error}` }
  // V8 aborts when its heap is full; a system without memory kills.
  if (signal === 'SIGABRT' || signal === 'SIGKILL') {
    return { status: 'too-large', hash: '', reason: exceededReason({ limit: 'memory', most: limits.memoryMb }) }
  }
  return { status: 'corrupt', hash: '', reason: 'Its parser failed: its process ended without an error message' }
}

function retryAlone(task: Task): void {
  task.isRetry = true
  task.weight = fullLoad
}
