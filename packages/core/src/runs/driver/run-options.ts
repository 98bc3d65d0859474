import { checkSessionKey } from '../../data/check-id.ts'
import { invalidArgument } from '../../data/errors.ts'
import type { Message } from '../../data/message.ts'
import { isRecord } from '../../data/message-problem.ts'
import { validateTranscript } from '../../data/transcript.ts'
import { checkBudget } from '../../policies/budget.ts'
import { measureJSON } from '../../util/json/measure-json.ts'
import {
  checkOptions,
  isFlag,
  isId,
  isMilliseconds,
  isOneOf,
  type OptionRule,
  type OptionRules,
} from '../../util/options/check-options.ts'
import { runWords } from '../../util/options/foreign-call-words.ts'
import type { RunOptions } from './run.ts'

/** Checks the members: a signal of another realm is no `instanceof AbortSignal`. */
export const isSignal: OptionRule = {
  is: 'an AbortSignal, such as `controller.signal` or AbortSignal.timeout(60_000)',
  holds(value) {
    const { aborted, addEventListener, removeEventListener } = (value ?? {}) as Partial<AbortSignal>
    return (
      typeof aborted === 'boolean' &&
      typeof addEventListener === 'function' &&
      typeof removeEventListener === 'function'
    )
  },
}

const runRules = {
  userId: isId,
  sessionId: isId,
  signal: isSignal,
  timeoutMs: isMilliseconds,
  budget: checkBudget,
  history: checkHistory,
  replaces: isId,
  resumable: isFlag,
  clientTools: { is: 'a list of { name, description, inputSchema }', holds: Array.isArray },
  onApproval: isOneOf(['wait', 'end'] satisfies RunOptions['onApproval'][]),
} satisfies OptionRules<RunOptions>

/** @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix */
export function checkRunOptions(options: RunOptions): void {
  if (!isRecord(options)) {
    throw invalidArgument('Pass the options of a run as an object: { userId, sessionId, signal, timeoutMs }.')
  }
  checkOptions(options, runRules, { words: runWords })
  checkSessionKey(options)
  if (options.replaces !== undefined && options.sessionId === undefined) {
    throw invalidArgument('`replaces` names a run of a session: pass its `sessionId` too.')
  }
}

/** @throws AgentKitError `invalid-argument` */
export function checkHistory(history: readonly Message[]): void {
  let problem: string | undefined
  try {
    problem = historyProblem(history)
  } catch (cause) {
    const message = '`history` cannot be read: a getter or a Proxy in it throws. Pass plain objects.'
    throw invalidArgument(message, { cause })
  }
  if (problem !== undefined) throw invalidArgument(`\`history\` ${problem}.`)
}

function historyProblem(history: readonly Message[]): string | undefined {
  if (!Array.isArray(history)) return 'is a list of messages: [{ role: "user", content: "Hello" }]'
  const [first] = history.length > 0 ? validateTranscript(history) : []
  if (first) return `is not a valid transcript: message ${first.index}, ${first.problem}`
  // The history is stored, so values that a store cannot write unchanged are refused here.
  const notJSON = history.findIndex((message) => measureJSON(message, historyBounds).problem !== undefined)
  if (notJSON < 0) return undefined
  return `is not plain JSON: message ${notJSON} has a circle, a BigInt, a function, a Date or too many levels`
}

/** Deeper values overflow the stack when they are copied and stored. */
const historyBounds = { depth: 1_000, values: Number.POSITIVE_INFINITY }
