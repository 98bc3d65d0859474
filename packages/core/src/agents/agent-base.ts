import type { Knowledge } from '../contracts/knowledge.ts'
import type { Model } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Decisions } from '../data/approval-data.ts'
import { checkId } from '../data/check-id.ts'
import { AgentKitError } from '../data/errors.ts'
import type { InputPart, UserMessage } from '../data/message.ts'
import { runAgent } from '../loop/run-agent.ts'
import { type AgentSpec, anyUser } from '../loop/types.ts'
import { tighten } from '../policies/budget.ts'
import { checkPriced } from '../policies/model-price.ts'
import { currentRun } from '../runs/current-run.ts'
import type { AgentRun, Runnable, RunOptions, RunResult } from '../runs/run.ts'
import { startRun } from '../runs/start-run.ts'
import { checkRunOptions } from './agent-options.ts'
import { toUserMessage } from './input.ts'

/** What agents and swarms have in common: they are asked, and they answer. */
export abstract class AgentBase<Output = undefined> implements Runnable {
  abstract readonly id: string
  abstract readonly name: string
  abstract readonly description: string | undefined
  abstract readonly samplePrompts: readonly string[]
  abstract readonly sessions: SessionStore
  abstract readonly knowledge: Knowledge | undefined

  /** The models that it asks, the preferred one first. */
  get models(): readonly Model[] {
    return this.toSpec().chain.models
  }

  /**
   * Called with what a member is asked, where a swarm or a workflow asks it.
   * @throws AgentKitError for a message that it does not take
   */
  checkMessage(_message: UserMessage): void {}

  /** What the loop runs, for swarms and workflows. @internal */
  abstract toSpec(): AgentSpec

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
    checkId('runId', runId)
    return this.#start({ role: 'user', content: '' }, options, true, { runId, decisions: { ...decisions } })
  }

  /** Lets go of what the agent has opened: of its own accord nothing. A store or knowledge that it was given is its giver's. */
  async close(): Promise<void> {}

  /** The known option that a misspelt one probably means, for messages. @internal */
  protected nearestOption(_word: string, _known: readonly string[]): string | undefined {
    return undefined
  }

  #start(
    input: UserMessage,
    options: RunOptions,
    keepEvents: boolean,
    resumed?: { runId: string; decisions: Decisions },
  ): AgentRun<Output> {
    checkRunOptions(options, (word, known) => this.nearestOption(word, known))
    // The schema that validates `output` is the one that gives its type.
    return startAgent(this.toSpec(), input, options, keepEvents, resumed) as AgentRun<Output>
  }
}

/**
 * A run of an agent that has not started yet.
 * @param options as `checkRunOptions` has checked them
 */
export function startAgent(
  spec: AgentSpec,
  input: UserMessage,
  options: RunOptions,
  keepEvents: boolean,
  resumed?: { runId: string; decisions: Decisions },
): AgentRun {
  const { sessionId, signal, history = [], onApproval = 'wait', ...rest } = options
  const { timeoutMs = spec.timeoutMs, userId = resumed ? anyUser : 'default', budget = {} } = rest
  const scope = { userId, sessionId, input, history, budget: tighten(spec.budget, budget) }
  checkPriced(spec.chain.models, spec.prices, scope.budget)
  // What is started in a tool is paid for by the run that calls the tool, and ends with it.
  const parent = currentRun.getStore()
  const decisions = resumed && { decisions: resumed.decisions }
  return startRun({
    runId: resumed?.runId ?? `run_${crypto.randomUUID()}`,
    path: [spec.id],
    signal,
    timeoutMs,
    keepEvents,
    waitForApprovals: onApproval === 'wait',
    execute: (driver) => runAgent(spec, { ...driver, ...scope, parent, members: new Set(), ...decisions }),
  })
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
