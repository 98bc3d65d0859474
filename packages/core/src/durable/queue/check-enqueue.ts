import { checkId, checkSessionKey } from '../../data/check-id.ts'
import { AgentKitError, invalidArgument } from '../../data/errors.ts'
import type { UserMessage } from '../../data/message.ts'
import { isRecord } from '../../data/message-problem.ts'
import { limits } from '../../limits.ts'
import { checkBudget } from '../../policies/budget.ts'
import type { EnqueueItem } from '../../runs/driver/background.ts'
import { toUserMessage } from '../../runs/driver/input.ts'
import { checkHistory } from '../../runs/driver/run-options.ts'
import { measureJSON } from '../../util/json/measure-json.ts'
import {
  checkOptionNames,
  checkOptions,
  isId,
  isMilliseconds,
  type OptionRule,
  type OptionRules,
} from '../../util/options/check-options.ts'

/** What is stored with a run, as JSON, in bytes of UTF-8: at most. */
export const enqueuedBytes: { readonly input: number; readonly history: number } = {
  input: limits.enqueuedInputBytes,
  history: limits.enqueuedHistoryBytes,
}

/** An item that can be stored. */
export type CheckedItem = Omit<EnqueueItem, 'input' | 'startAfter'> & {
  message: UserMessage
  /** Milliseconds since 1970; absent for now. */
  dueAt?: number
}

/**
 * Checks a run before it is stored.
 * @param now by the clock of the store
 * @throws AgentKitError `invalid-argument`, naming the option
 */
function checkItem(item: EnqueueItem, now: number): CheckedItem {
  const { input, startAfter, ...options } = item
  checkOptions({ ...options, ...(startAfter !== undefined && { startAfter }) }, itemRules)
  checkSessionKey(options)
  if (options.idempotencyKey !== undefined) checkId('idempotencyKey', options.idempotencyKey)
  if (options.replaces !== undefined && options.sessionId === undefined) {
    throw invalidArgument('`replaces` names a run of a session: pass its `sessionId` too.')
  }
  if (options.history) checkSize('history', options.history, enqueuedBytes.history)
  const dueAt = startAfter?.getTime() ?? 0
  if (dueAt > now + limits.longestDelayMs) {
    throw invalidArgument(
      `\`startAfter\` is ${startAfter?.toISOString()}, more than 5 years ahead. Pass an earlier time.`,
    )
  }
  return { ...options, message: checkInput(input), ...(dueAt > now && { dueAt }) }
}

/** Items whose lists are copies: the caller may change its own while the store opens. */
export function copyLists(items: readonly EnqueueItem[]): readonly EnqueueItem[] {
  // `checkItems` refuses a value that is not a list.
  if (!Array.isArray(items)) return items
  // `map` would skip the holes of a list that has some.
  return Array.from(items, (item: EnqueueItem) => {
    if (!isRecord(item)) return item
    const { input, history } = item
    return {
      ...item,
      ...(Array.isArray(input) && { input: [...input] }),
      ...(Array.isArray(history) && { history: [...history] }),
    }
  })
}

/**
 * The arguments of a call as an item.
 * @throws AgentKitError `invalid-argument` for what is not an object: spread it would be no options at all
 */
export function itemOf(input: EnqueueItem['input'], options: Omit<EnqueueItem, 'input'>): EnqueueItem {
  checkOptionNames(options, itemRules, { code: 'invalid-argument' })
  return { ...options, input }
}

/** Checks many; one that is refused refuses all. */
export function checkItems(items: readonly EnqueueItem[], now: number): CheckedItem[] {
  if (!Array.isArray(items)) throw invalidArgument('Pass a list of runs: [{ input: "Write the report" }].')
  if (items.length > limits.enqueuedAtOnce) {
    throw invalidArgument(`${items.length} runs are too many for one call: at most ${limits.enqueuedAtOnce} are taken.`)
  }
  return items.map((item, index) => {
    if (!isRecord(item)) throw invalidArgument(`Item ${index} is not an object such as { input: "Write the report" }.`)
    try {
      // Rules of options check records.
      return checkItem(item as EnqueueItem, now)
    } catch (error) {
      if (items.length === 1 || !(error instanceof AgentKitError)) throw error
      throw new AgentKitError(error.code, `Item ${index}: ${error.message}`, { cause: error })
    }
  })
}

const isPriority: OptionRule = {
  is: `a whole number from -${limits.highestPriority} to ${limits.highestPriority}`,
  holds: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= limits.highestPriority,
}

const isDate: OptionRule = {
  is: 'a valid Date, such as new Date(Date.now() + 60_000)',
  holds: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
}

const itemRules = {
  userId: isId,
  sessionId: isId,
  idempotencyKey: isId,
  priority: isPriority,
  startAfter: isDate,
  budget: checkBudget,
  timeoutMs: isMilliseconds,
  history: checkHistory,
  replaces: isId,
} satisfies OptionRules<Omit<EnqueueItem, 'input'>>

/** The message as plain JSON. Parts may have bytes and a URL as `data`, which become text. */
function checkInput(input: EnqueueItem['input']): UserMessage {
  const parts = Array.isArray(input) ? input.map((part) => (isRecord(part) ? { ...part, data: null } : part)) : []
  if (measureJSON(parts, { depth: limits.argumentDepth, values: limits.argumentValues }).problem !== undefined) {
    throw invalidArgument(
      '`input` is not plain JSON: it has a Date, a function, a circle or too many levels. Pass text, or a list of parts.',
    )
  }
  const message = toUserMessage(input)
  checkSize('input', message.content, enqueuedBytes.input)
  return message
}

function checkSize(name: string, value: unknown, most: number): void {
  let isWellFormed = true
  const json = JSON.stringify(value, (_, each) => {
    if (typeof each === 'string' && !each.isWellFormed()) isWellFormed = false
    return each
  })
  // Half a surrogate pair would be another character in the store: the model would read something else.
  if (!isWellFormed)
    throw invalidArgument(`\`${name}\` has half of a surrogate pair. Cut texts by characters, not by units.`)
  const bytes = Buffer.byteLength(json)
  if (bytes > most)
    throw invalidArgument(`\`${name}\` has ${bytes} bytes as JSON; at most ${most} are taken. Shorten it.`)
}
