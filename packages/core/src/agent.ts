import { agentIdFrom } from './agent-id.ts'
import { type AgentOptions, checkModels, checkOptions, checkRunOptions, wholeNumber } from './agent-options.ts'
import type { Decisions } from './approval.ts'
import { tighten } from './budget.ts'
import { currentRun } from './current-run.ts'
import { AgentKitError } from './errors.ts'
import { modelChain } from './fallback.ts'
import { toUserMessage } from './input.ts'
import type { Knowledge } from './knowledge.ts'
import { knowledgeTools } from './knowledge-tools.ts'
import { limits } from './limits.ts'
import { memorySessions } from './memory-sessions.ts'
import type { InputPart, UserMessage } from './message.ts'
import { checkPriced } from './model-price.ts'
import { type AgentSpec, anyUser } from './open-run.ts'
import { checkRetry } from './retry.ts'
import type { AgentRun, Runnable, RunOptions, RunResult } from './run.ts'
import { runAgent } from './run-agent.ts'
import type { SessionStore } from './session.ts'
import { startRun } from './start-run.ts'
import { compileOutput, type OutputFormat } from './structured-output.ts'
import { milliseconds, toTools } from './tool.ts'

/**
 * A name, an instruction and a list of functions that a model may call.
 *
 * @example
 * const agent = new Agent({ name: 'Weather', functions: [weather], model: openai().model('gpt-5.4-mini') })
 * const answer = await agent.chat('Do I need an umbrella in Oslo?', { sessionId: 'ada' })
 */
export class Agent<Output = undefined> implements Runnable {
  readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly samplePrompts: readonly string[]
  readonly sessions: SessionStore
  readonly knowledge: Knowledge | undefined
  readonly #spec: AgentSpec
  readonly #timeoutMs: number | undefined

  /**
   * @throws AgentKitError `invalid-argument` when a name, id, tool or number cannot be used, with the fix
   * @throws AgentKitError `invalid-config` for a budget in US dollars with a model whose price is not known
   */
  constructor(options: AgentOptions<Output>) {
    // What has no name has mostly no options at all.
    this.id = agentIdFrom(options?.name, options?.id)
    const given = checkOptions(options)
    const { samplePrompts = [], sessions = memorySessions() } = given
    this.name = given.name
    this.description = given.description
    this.samplePrompts = [...samplePrompts]
    this.sessions = sessions
    this.knowledge = given.knowledge
    this.#timeoutMs = milliseconds('`timeoutMs`', given.timeoutMs)
    this.#spec = specOf(given, this.id, sessions)
  }

  /**
   * Answers one message.
   *
   * @param input text, or parts: text, images, files
   * @param options whose session, which one, a signal, a deadline in milliseconds, a budget
   * @returns the answer's text
   * @throws AgentKitError when the run fails, with its `runId` and `usage`
   */
  async chat(input: string | InputPart[], options: RunOptions = {}): Promise<string> {
    const result = await this.#start(toUserMessage(input), options, false).result
    if (result.error) throw result.error
    return answerOf(result)
  }

  /** The same as a run: iterate its events, await its `result`, or both. It starts when one of them is asked for. */
  stream(input: string | InputPart[], options: RunOptions = {}): AgentRun<Output> {
    return this.#start(toUserMessage(input), options, true)
  }

  /**
   * Goes on with a run that waits for approval, here or in another process: it runs what was approved, each call once,
   * and takes its further steps.
   *
   * @param runId of the run that waits
   * @param decisions by `approvalId`: `true`, or `{ deny: "why" }`. What is left out waits on.
   * @param options `userId`, where given, must be that of the run. `sessionId` and `history` are the run's own.
   * @returns a run with the same id; its `result` has the error `not-found` when no such run waits,
   *   `session-conflict` when somebody else has gone on with it, `invalid-argument` for an unknown approval
   * @example
   * const { runId, approvals } = await agent.stream('Pay the invoice.').result
   * // later, perhaps after a restart
   * await agent.resume(runId, { [approvals[0].approvalId]: true }).result
   */
  resume(runId: string, decisions: Decisions, options: RunOptions = {}): AgentRun<Output> {
    if (typeof runId !== 'string' || runId === '' || typeof decisions !== 'object' || decisions === null) {
      throw new AgentKitError('invalid-argument', 'Pass the id of a run, and { [approvalId]: true | { deny: "why" } }.')
    }
    return this.#start({ role: 'user', content: '' }, options, true, { runId, decisions: { ...decisions } })
  }

  /** Lets go of what the agent has opened: of its own accord nothing. A store or knowledge that it was given is its giver's. */
  async close(): Promise<void> {}

  #start(
    input: UserMessage,
    options: RunOptions,
    keepEvents: boolean,
    resumed?: { runId: string; decisions: Decisions },
  ): AgentRun<Output> {
    const { sessionId, signal, history = [], onApproval = 'wait', ...rest } = checkRunOptions(options)
    const { timeoutMs = this.#timeoutMs, userId = resumed ? anyUser : 'default', budget = {} } = rest
    const scope = { userId, sessionId, input, history, budget: tighten(this.#spec.budget, budget) }
    checkPriced(this.#spec.chain.models, this.#spec.prices, scope.budget)
    // What is started in a tool is paid for by the run that calls the tool, and ends with it.
    const parent = currentRun.getStore()
    const decisions = resumed && { decisions: resumed.decisions }
    const run = startRun({
      runId: resumed?.runId ?? `run_${crypto.randomUUID()}`,
      path: [this.id],
      signal,
      timeoutMs: milliseconds('`timeoutMs`', timeoutMs),
      keepEvents,
      waitForApprovals: onApproval === 'wait',
      execute: (driver) => runAgent(this.#spec, { ...driver, ...scope, parent, ...decisions }),
    })
    // The schema that validates `output` is the one that gives its type.
    return run as AgentRun<Output>
  }
}

function specOf<Output>(given: AgentOptions<Output>, id: string, sessions: SessionStore): AgentSpec {
  const {
    functions,
    instruction,
    prices = {},
    budget = {},
    hooks = {},
    onBusy = 'queue',
    guard,
    output,
    modelSettings = {},
  } = given
  const tools = toTools(functions)
  const models = checkModels(given.model)
  checkPriced(models, prices, budget)
  let format: Promise<OutputFormat> | undefined
  const spec: AgentSpec = {
    id,
    instruction,
    chain: modelChain(models),
    modelSettings: { ...modelSettings },
    prices,
    budget: { ...budget },
    retry: checkRetry(given.retry),
    guard,
    hooks: { ...hooks },
    onBusy,
    sessions,
    maxSteps: wholeNumber('maxSteps', given.maxSteps) ?? limits.maxSteps,
    toolTimeoutMs: milliseconds('`toolTimeoutMs`', given.toolTimeoutMs) ?? limits.toolTimeoutMs,
    modelTimeoutMs: milliseconds('`modelTimeoutMs`', given.modelTimeoutMs) ?? limits.modelTimeoutMs,
    tools: knowledgeTools(tools, given.knowledge),
  }
  return output ? { ...spec, outputFormat: () => (format ??= compileOutput(output)) } : spec
}

/** Runs that ended early still answer when there is something to show. */
function answerOf<Output>({ text, finishReason, runId, usage, warnings, approvals }: RunResult<Output>): string {
  switch (finishReason) {
    case 'stop':
    case 'length':
    case 'content-filter':
      return text
    case 'max-steps':
    case 'budget':
    case 'no-progress':
      if (text !== '') return text
      // Why it ended is the last that it was warned of.
      throw new AgentKitError(finishReason, `The run ended without an answer. ${warnings.at(-1)}`, { runId, usage })
    case 'approval': {
      const what = approvals.map(({ approvalId, name }) => `"${approvalId}" (${name})`).join(', ')
      const message = `The run ${runId} waits for approval of ${what}. Decide by agent.resume(runId, decisions).`
      throw new AgentKitError(finishReason, message, { runId, usage })
    }
    case 'aborted':
    case 'error':
      throw new AgentKitError('aborted', 'The run ended without an answer.', { runId, usage })
  }
}
