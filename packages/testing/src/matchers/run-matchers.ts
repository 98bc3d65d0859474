import { type AgentEvent, type Citation, type RunFinishReason, type RunResult, toolCalls } from '@agentkit/core'

/** The input of the matchers: the result of a run, or its events, which include the calls of members. */
export type CheckedRun = Pick<RunResult, 'messages' | 'finishReason' | 'sources'> | readonly AgentEvent[]

/** The part of Vitest's matcher state that is used. */
type MatcherState = {
  isNot?: boolean
  equals(one: unknown, other: unknown): boolean
  utils: { stringify(value: unknown, depth?: number, options?: { min: boolean }): string }
}
type MatcherResult = { pass: boolean; message(): string }

/**
 * Whether a run called a tool, and with this input where one is given, which may have asymmetric matchers.
 *
 * @throws TypeError for something other than the result or the events of a run
 * @example
 * expect(await agent.stream('Refund order 7.').result).toHaveCalledTool('refund', { order: 7 })
 */
export function toHaveCalledTool(this: MatcherState, run: CheckedRun, name: string, input?: unknown): MatcherResult {
  const calls = callsOf(run)
  const own = calls.filter((call) => call.name === name)
  const pass = own.some((call) => input === undefined || this.equals(call.input, input))
  const inputs = own.map((call) => JSON.stringify(call.input)).join(', ')
  const called = own.length > 0 ? `called it with ${inputs}` : `called ${listOf(calls.map((call) => call.name))}`
  // `stringify` prints asymmetric matchers like Vitest: Any<Number>.
  const wanted = input === undefined ? '' : ` with ${this.utils.stringify(input, undefined, { min: true })}`
  return matched(this, pass, `call "${name}"${wanted}`, called)
}

/**
 * Whether a run finished, for this reason.
 *
 * @param reason `"stop"` when absent: with an answer
 * @throws TypeError for something other than the result or the events of a run
 * @example
 * expect(result).toHaveFinished()
 */
export function toHaveFinished(this: MatcherState, run: CheckedRun, reason: RunFinishReason = 'stop'): MatcherResult {
  const end = endOf(run)
  const error = 'error' in end && end.error ? `: ${end.error.message.replace(/\.$/, '')}` : ''
  return matched(
    this,
    end.finishReason === reason,
    `finish with "${reason}"`,
    `finished with "${end.finishReason}"${error}`,
  )
}

/**
 * Whether the answer of a run cites a file, and a quote with this text where one is given.
 *
 * @param file the path as citations have it, or a pattern
 * @throws TypeError for something other than the result or the events of a run
 * @example
 * expect(result).toCite('handbook.pdf', 'within 14 days')
 */
export function toCite(
  this: MatcherState,
  run: CheckedRun,
  file: string | RegExp,
  quote?: string | RegExp,
): MatcherResult {
  const sources = sourcesOf(run)
  // A pattern with the flag `g` remembers where `test` stopped; `search` begins at the start.
  const own = sources.filter((source) => {
    return typeof file === 'string' ? source.file === file : source.file.search(file) >= 0
  })
  const has = (text: string): boolean => {
    return quote === undefined || (typeof quote === 'string' ? text.includes(quote) : text.search(quote) >= 0)
  }
  const quotes = own.map((source) => JSON.stringify(source.quote.slice(0, 200))).join(', ')
  const cited = own.length > 0 ? `quoted ${quotes}` : `cited ${listOf(sources.map((source) => source.file))}`
  return matched(
    this,
    own.some((source) => has(source.quote)),
    `cite ${file}${quote === undefined ? '' : ` with ${quote}`}`,
    cited,
  )
}

function matched({ isNot }: MatcherState, pass: boolean, expected: string, found: string): MatcherResult {
  return { pass, message: () => `Expected the run ${isNot ? 'not to' : 'to'} ${expected}. It ${found}.` }
}

function callsOf(run: CheckedRun): { name: string; input: unknown }[] {
  if (isEvents(run)) return eventCalls(run)
  return checked(run).messages.flatMap((message) => (message.role === 'assistant' ? toolCalls(message) : []))
}

type CallEvent = Extract<AgentEvent, { type: 'tool-call' }>

/** Without the calls of attempts that were tried again, which the result does not have either. */
function eventCalls(events: readonly AgentEvent[]): CallEvent[] {
  let calls: CallEvent[] = []
  /** The calls of each agent's current step, by the path of the agent. */
  const open = new Map<string, CallEvent[]>()
  for (const event of events) {
    const path = event.path.join('/')
    if (event.type === 'step-start' || event.type === 'step-end') open.delete(path)
    else if (event.type === 'tool-call') {
      calls.push(event)
      open.set(path, [...(open.get(path) ?? []), event])
    } else if (event.type === 'step-restart') {
      calls = calls.filter((call) => !open.get(path)?.includes(call))
      open.delete(path)
    }
  }
  return calls
}

function endOf(run: CheckedRun): {
  finishReason: RunFinishReason | 'nothing'
  error?: { message: string } | undefined
} {
  if (!isEvents(run)) return checked(run)
  return run.findLast((event) => event.type === 'run-end') ?? { finishReason: 'nothing' }
}

function sourcesOf(run: CheckedRun): readonly Citation[] {
  if (!isEvents(run)) return checked(run).sources
  return run.flatMap((event) => (event.type === 'source' ? [event.source] : []))
}

/** Refuses another list, such as the messages of a run: it would never have calls. */
function isEvents(run: CheckedRun): run is readonly AgentEvent[] {
  return Array.isArray(run) && run.every((event) => typeof event?.type === 'string' && 'runId' in event)
}

function checked<Run>(run: Run): Run {
  if (typeof run === 'object' && run !== null && 'messages' in run && 'finishReason' in run) return run
  throw new TypeError('Pass the result of a run, expect(await agent.stream("…").result), or the list of its events.')
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : [...new Set(names)].join(', ')
}
