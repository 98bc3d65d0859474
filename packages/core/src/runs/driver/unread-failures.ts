import type { AgentKitError } from '../../data/errors.ts'
import { firstChars } from '../../data/first-chars.ts'
import { redactSecrets } from '../../util/text/redact.ts'
import { terminalLine } from '../../util/text/terminal-text.ts'
import type { RunResult } from './run.ts'

/** Whether the caller knows how a run has ended. */
export type Seen = { isSeen: boolean }

type Failure = { line: string; seen: Seen }
type Watched = Failure & Pick<RunResult, 'error' | 'finishReason'>

/**
 * Prints a failure that no one reads as one line on stderr: when its result is collected, or when the process ends.
 * Reading `error` or `finishReason`, also by printing or copying the result, counts.
 * @param seen may be set before: a reader has received the run's last event
 */
export function reportUnlessRead(result: RunResult, seen: Seen): RunResult {
  const { error, finishReason, runId } = result
  if (!error || seen.isSeen) return result
  const failure: Watched = { line: lineOf(runId, error), seen, error, finishReason }
  watched.set(result, failure)
  // The accessors are shared: those of their own would give each result a hidden class of its own.
  Object.defineProperties(result, accessors)
  report(failure, result)
  return result
}

const watched = new WeakMap<object, Watched>()

function read<Name extends 'error' | 'finishReason'>(result: object, name: Name): Watched[Name] | undefined {
  const failure = watched.get(result)
  if (failure) failure.seen.isSeen = true
  return failure?.[name]
}

/** Enumerable, as the data that they stand for. */
function accessor(name: 'error' | 'finishReason'): PropertyDescriptor {
  return {
    enumerable: true,
    configurable: true,
    get(this: object) {
      return read(this, name)
    },
    set(this: object, value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
    },
  }
}

const accessors = {
  error: accessor('error'),
  finishReason: accessor('finishReason'),
  // Node prints accessors as `[Getter]` otherwise.
  [Symbol.for('nodejs.util.inspect.custom')]: {
    value(this: object) {
      return { ...this }
    },
  },
}

/** How many failures are remembered until the process ends. */
const maxUnread = 1_000
/** Of the printed message; in characters. */
const longestMessage = 500

const unread = new Set<Failure>()
let collected: FinalizationRegistry<Failure> | undefined

function report(failure: Failure, result: object): void {
  const remembered: Failure = { line: failure.line, seen: failure.seen }
  if (!collected) {
    collected = new FinalizationRegistry(print)
    globalThis.process?.on?.('exit', () => {
      for (const one of unread) print(one)
    })
  }
  unread.add(remembered)
  collected.register(result, remembered)
  const [oldest] = unread
  if (unread.size > maxUnread && oldest) print(oldest)
}

function print(failure: Failure): void {
  if (!unread.delete(failure) || failure.seen.isSeen) return
  console.error(failure.line)
}

function lineOf(runId: string, { code, message }: AgentKitError): string {
  const sentence = firstChars(redactSecrets(message), longestMessage)
  return terminalLine(`agentkit: run ${runId} failed: ${code}: ${sentence}`)
}
