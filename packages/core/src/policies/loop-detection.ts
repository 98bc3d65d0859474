import { invalidArgument } from '../data/errors.ts'
import type { ToolMessage } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { checkOptionNames } from '../util/options/check-options.ts'

/** When a model that repeats itself is warned, and when its run ends: whole numbers, 2 ≤ tellAt < stopAt. */
export type GuardOptions = {
  /** The repetition at which the model gets a note; default 4. */
  tellAt?: number
  /** The repetition at which the run ends as `no-progress`; default 6. */
  stopAt?: number
}

/** Detects that a run makes no progress. It never throws, and keeps references to its arguments: do not change them later. */
export interface LoopDetector {
  /** Called before the tools of a step run, with the number of its calls. */
  beginStep(callCount: number): void
  /**
   * Called with each result, in the order in which the calls finish, before the result is stored.
   * @param result.whole the whole text where `content` is cut: the mark of a cut differs from call to call
   * @returns a note for the model, to append to the content of this result
   */
  addResult(
    call: { name: string; input: unknown; inputText?: string },
    result: { content: ToolMessage['content']; isError: boolean; whole?: string },
  ): string | undefined
  /**
   * Called when the model answers with neither text nor calls.
   * @returns a note for the model, for the next request
   */
  addEmptyAnswer(): string | undefined
  /** Called when the model answers with text: resets the count of empty answers. */
  resetEmptyAnswers(): void
  /** Why the run must end, as a sentence for people; `undefined` while there is progress. */
  stalled(): string | undefined
}

const defaults = { tellAt: 4, stopAt: 6 } as const satisfies Record<keyof GuardOptions, number>

/**
 * Detects runs that make no progress.
 *
 * Steps are compared by their calls with input and results, in any order and number. A cycle of up to four steps that
 * repeats is no progress; a different step breaks it. A cycle in which only results differ is polling, and is never
 * counted. Empty answers neither break nor continue a cycle. They are counted until the model answers, or a step differs
 * from the last four.
 *
 * @param options `false` detects nothing
 * @example
 * const detector = createLoopDetector({ tellAt: 3, stopAt: 5 })
 * detector.beginStep(1)
 * const note = detector.addResult({ name: 'status', input: {} }, { content: 'pending', isError: false })
 * if (detector.stalled() !== undefined) return 'no-progress'
 */
export function createLoopDetector(options: GuardOptions | false = {}): LoopDetector {
  if (options === false) return noDetector
  const { tellAt = defaults.tellAt, stopAt = defaults.stopAt } = options
  const cycles: Cycle[] = [1, 2, 3, 4].map((period) => ({ period, matches: 0 }))
  /** The last steps, newest first, as many as the longest cycle needs. A repeated step is the same object. */
  let steps: DetectorStep[] = []
  let calls: FinishedCall[] = []
  let callCount = 0
  let emptyAnswers = 0
  let warned: Cycle | undefined
  let stalled: string | undefined

  const endStep = (finishedCalls: DetectorStep): string | undefined => {
    const earlier = steps.slice(0, cycles.length)
    const known = earlier.find((step) => sameSteps(step, finishedCalls, sameOutcome))
    const step = known ?? finishedCalls
    steps = [step, ...earlier]
    for (const cycle of cycles) cycle.matches = steps[cycle.period] === step ? cycle.matches + 1 : 0
    if (!known) emptyAnswers = 0
    if (warned?.matches === 0) warned = undefined

    const cycle = mostRepeated(cycles, tellAt, steps)
    if (!cycle) return undefined
    const times = timesOf(cycle)
    const what = `called ${namesOf(steps.slice(0, cycle.period))} ${times} times in a row with the same input`
    if (times >= stopAt) stalled = `The model ${what}, and got the same result each time.`
    if (times >= stopAt || warned) return undefined
    warned = cycle
    // One note for both, where there are empty answers between the steps.
    emptyAnswers = 0
    return `[You have ${what}, and got the same result each time. Do something else, or answer with what you know: the run ends at ${stopAt} times.]`
  }

  return {
    beginStep(count) {
      callCount = count
      calls = []
    },
    addResult({ name, input, inputText }, { content, isError, whole }) {
      calls.push({ name, input: input ?? inputText, content: whole ?? content, isError })
      if (calls.length < callCount) return undefined
      const step = calls
      calls = []
      return endStep(step)
    },
    addEmptyAnswer() {
      emptyAnswers++
      if (emptyAnswers >= stopAt) stalled = `The model gave ${emptyAnswers} empty answers.`
      if (emptyAnswers !== tellAt) return undefined
      return `[You have given ${tellAt} empty answers. Answer in words, or call a tool: the run ends at ${stopAt}.]`
    },
    resetEmptyAnswers() {
      emptyAnswers = 0
    },
    stalled: () => stalled,
  }
}

/** @throws AgentKitError `invalid-argument` for invalid thresholds, with the fix */
export function checkGuardOptions(options: GuardOptions | false): void {
  if (options === false) return
  if (isRecord(options)) {
    checkOptionNames(options, defaults, { code: 'invalid-argument', of: 'guard' })
    const { tellAt = defaults.tellAt, stopAt = defaults.stopAt } = options
    if (Number.isInteger(tellAt) && Number.isInteger(stopAt) && tellAt >= 2 && tellAt < stopAt) return
  }
  throw invalidArgument(
    '`guard` is { tellAt, stopAt }, whole numbers with 2 ≤ tellAt < stopAt, or false for none. ' +
      `The defaults are tellAt ${defaults.tellAt} and stopAt ${defaults.stopAt}: to move one beyond the other, set both.`,
  )
}

/** Whether a text is a note that `addResult` has returned. */
export function isRepetitionNote(text: string): boolean {
  return /^\[You have called [^\n]* the run ends at \d+ times\.\]$/.test(text)
}

const noDetector: LoopDetector = {
  beginStep() {},
  addResult: () => undefined,
  addEmptyAnswer: () => undefined,
  resetEmptyAnswers() {},
  stalled: () => undefined,
}

type FinishedCall = { name: string; input: unknown; content: ToolMessage['content']; isError: boolean }
type DetectorStep = readonly FinishedCall[]

/** How many steps in a row equal the step `period` steps earlier. */
type Cycle = { period: number; matches: number }

function timesOf({ period, matches }: Cycle): number {
  return 1 + Math.floor(matches / period)
}

/** The cycle with the most repetitions, if there are at least `atLeast`. */
function mostRepeated(cycles: readonly Cycle[], atLeast: number, steps: readonly DetectorStep[]): Cycle | undefined {
  let most: Cycle | undefined
  for (const cycle of cycles) {
    if (timesOf(cycle) < atLeast || isPolling(steps.slice(0, cycle.period))) continue
    // Of two cycles with equal repetitions, the longer contains the other.
    if (!most || timesOf(cycle) >= timesOf(most)) most = cycle
  }
  return most
}

/** Whether a cycle's calls alone are a shorter cycle: then only their results change. */
function isPolling(cycle: readonly DetectorStep[]): boolean {
  if (cycle.length === 1) return false
  const shorter = cycle.length === 4 ? 2 : 1
  return cycle.every((step, index) => {
    const next = cycle[(index + shorter) % cycle.length]
    return next !== undefined && sameSteps(step, next, sameCall)
  })
}

type Comparison = (left: FinishedCall, right: FinishedCall) => boolean

/** Whether two steps contain the same calls, in any order and number. */
function sameSteps(left: DetectorStep, right: DetectorStep, same: Comparison): boolean {
  return hasAll(left, right, same) && hasAll(right, left, same)
}

function hasAll(step: DetectorStep, calls: DetectorStep, same: Comparison): boolean {
  return calls.every((call, index) => {
    // Most steps finish in the same order again.
    const likely = step[index]
    return (likely !== undefined && same(likely, call)) || step.some((other) => same(other, call))
  })
}

function sameOutcome(left: FinishedCall, right: FinishedCall): boolean {
  return left.isError === right.isError && sameJSON(left.content, right.content) && sameCall(left, right)
}

function sameCall(left: FinishedCall, right: FinishedCall): boolean {
  return left.name === right.name && sameJSON(left.input, right.input)
}

/** Whether two values are the same JSON, with keys in any order. */
function sameJSON(first: unknown, second: unknown): boolean {
  // A list that grows, not recursion: a model may nest deeper than the stack goes.
  const pairs: [unknown, unknown][] = [[first, second]]
  for (const [left, right] of pairs) {
    if (left === right) continue
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
    if (Array.isArray(left) !== Array.isArray(right)) return false
    const keys = Object.keys(left)
    if (keys.length !== Object.keys(right).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(right, key)) return false
      const one: unknown = left[key as keyof typeof left]
      const other: unknown = right[key as keyof typeof right]
      if (one === other) continue
      if (typeof one !== 'object' || typeof other !== 'object') return false
      pairs.push([one, other])
    }
  }
  return true
}

/** The tools of a cycle by name, oldest step first: `"read" then "write" and "list"`. */
function namesOf(newestFirst: readonly DetectorStep[]): string {
  return newestFirst
    .toReversed()
    .map((step) => {
      const names = [...new Set(step.map(({ name }) => name))].sort()
      const shown = names.slice(0, 4).map((name) => JSON.stringify(name.slice(0, 64)))
      return [...shown, ...(names.length > 4 ? [`${names.length - 4} more`] : [])].join(' and ')
    })
    .join(' then ')
}
