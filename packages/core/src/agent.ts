import { agentIdFrom } from './agent-id.ts'
import { AgentKitError } from './errors.ts'
import { toUserMessage } from './input.ts'
import { limits } from './limits.ts'
import { memorySessions } from './memory-sessions.ts'
import type { InputPart, Message } from './message.ts'
import type { Model } from './model.ts'
import type { AgentRun, Runnable, RunOptions, RunResult } from './run.ts'
import { type AgentSpec, runAgent } from './run-agent.ts'
import { compileTools, type ToolBox } from './run-tools.ts'
import type { SessionStore } from './session.ts'
import { startRun } from './start-run.ts'
import { milliseconds, type ToolLike, toTools } from './tool.ts'
import { validateTranscript } from './transcript.ts'

export type AgentOptions = {
  name: string
  /** The functions that the model may call; may be empty. */
  functions: readonly ToolLike[]
  model: Model
  /** Default: made from the name, `Research Team` → `research-team`. */
  id?: string
  /** What the agent is for and how it behaves: the system message. */
  instruction?: string
  /** What the agent is good at, for other agents. */
  description?: string
  /** Questions that a user may begin with. */
  samplePrompts?: readonly string[]
  /** Model calls of one run; default 20. */
  maxSteps?: number
  /** How long one tool call may take, in milliseconds; default 30,000. */
  toolTimeoutMs?: number
  /** Deadline of a whole run, in milliseconds; default none. */
  timeoutMs?: number
  /** Where conversations are kept; default in memory. */
  sessions?: SessionStore
}

/**
 * A name, an instruction and a list of functions that a model may call.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: openai().model('gpt-5.4-mini') })
 * const answer = await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' })
 */
export class Agent implements Runnable {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  readonly #spec: AgentSpec
  readonly #timeoutMs: number | undefined

  /** @throws AgentKitError `invalid-argument` when a name, id, tool or number cannot be used, with the fix */
  constructor(options: AgentOptions) {
    const given = checkOptions(options)
    const { name, functions, model, instruction, description, samplePrompts = [], timeoutMs } = given
    this.id = agentIdFrom(name, given.id)
    this.name = name
    this.description = description
    this.samplePrompts = [...samplePrompts]
    this.sessions = given.sessions ?? memorySessions()
    this.#timeoutMs = milliseconds('`timeoutMs`', timeoutMs)
    if (!Array.isArray(functions)) {
      throw invalid('Pass `functions`: a list of tools, which may be empty.')
    }
    const tools = toTools(functions)
    if (typeof model?.stream !== 'function') {
      throw invalid('Pass `model`: an object such as openai().model("gpt-5.4-mini").')
    }
    let toolBox: Promise<ToolBox> | undefined
    this.#spec = {
      id: this.id,
      instruction,
      model,
      sessions: this.sessions,
      maxSteps: wholeNumber('maxSteps', given.maxSteps) ?? limits.maxSteps,
      toolTimeoutMs: milliseconds('`toolTimeoutMs`', given.toolTimeoutMs) ?? limits.toolTimeoutMs,
      toolBox: () => (toolBox ??= compileTools(tools)),
    }
  }

  /**
   * Answers one message.
   *
   * @param input text, or parts: text, images, files
   * @param options whose session, which one, a signal, a deadline in milliseconds
   * @returns the answer's text
   * @throws AgentKitError when the run fails, with its `runId` and `usage`
   */
  async chat(input: string | InputPart[], options: RunOptions = {}): Promise<string> {
    const result = await this.#start(input, options, false).result
    if (result.error) throw result.error
    return answerOf(result)
  }

  /** The same as a run: iterate its events, await its `result`, or both. It starts when one of them is asked for. */
  stream(input: string | InputPart[], options: RunOptions = {}): AgentRun {
    return this.#start(input, options, true)
  }

  /** Lets go of what the agent has opened: of its own accord nothing, and a store that it was given is its giver's. */
  async close(): Promise<void> {}

  #start(input: string | InputPart[], options: RunOptions, keepEvents: boolean): AgentRun {
    const {
      userId = 'default',
      sessionId,
      signal,
      timeoutMs = this.#timeoutMs,
      history = [],
    } = checkRunOptions(options)
    const message = toUserMessage(input)
    checkHistory(history)
    return startRun({
      runId: `run_${crypto.randomUUID()}`,
      path: [this.id],
      signal,
      timeoutMs: milliseconds('`timeoutMs`', timeoutMs),
      keepEvents,
      execute: (run) => runAgent(this.#spec, { ...run, userId, sessionId, input: message, history }),
    })
  }
}

/** Runs that ended early still answer when there is something to show. */
function answerOf({ text, finishReason, runId, usage }: RunResult): string {
  switch (finishReason) {
    case 'stop':
    case 'length':
    case 'content-filter':
      return text
    case 'max-steps':
    case 'budget':
    case 'no-progress':
    case 'approval':
      if (text !== '' && finishReason !== 'approval') return text
      throw new AgentKitError(finishReason, `The run ended without an answer: ${finishReason}.`, { runId, usage })
    case 'aborted':
    case 'error':
      throw new AgentKitError('aborted', 'The run ended without an answer.', { runId, usage })
  }
}

/** What TypeScript would have said. */
function checkOptions(options: AgentOptions): AgentOptions {
  const { instruction, description, samplePrompts, sessions } = options ?? {}
  for (const [name, text] of Object.entries({ instruction, description })) {
    if (text !== undefined && typeof text !== 'string') throw invalid(`\`${name}\` is a text.`)
  }
  const areTexts = Array.isArray(samplePrompts) && samplePrompts.every((prompt) => typeof prompt === 'string')
  if (samplePrompts !== undefined && !areTexts) throw invalid('`samplePrompts` is a list of texts.')
  if (sessions !== undefined && typeof sessions?.begin !== 'function') {
    throw invalid('`sessions` is a SessionStore, such as memorySessions().')
  }
  return options ?? {}
}

function checkRunOptions(options: RunOptions): RunOptions {
  if (typeof options !== 'object' || options === null) {
    throw invalid('Pass the options of a run as an object: { userId, sessionId, signal, timeoutMs }.')
  }
  const { userId, sessionId, signal } = options
  for (const [name, id] of Object.entries({ userId, sessionId })) {
    // An empty one is mostly a variable that was not set: everybody would share its conversation.
    if (id !== undefined && (typeof id !== 'string' || id === '')) {
      throw invalid(`\`${name}\` is a text that is not empty. Leave it out for none.`)
    }
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw invalid('`signal` is an AbortSignal.')
  }
  return options
}

function invalid(message: string): AgentKitError {
  return new AgentKitError('invalid-argument', message)
}

function checkHistory(history: readonly Message[]): void {
  const [first] = history.length > 0 ? validateTranscript(history) : []
  if (!first) return
  const message = `\`history\` is not a valid transcript: message ${first.index}, ${first.problem}.`
  throw invalid(message)
}

function wholeNumber(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return value
  throw invalid(`\`${name}\` is a whole number above 0.`)
}
