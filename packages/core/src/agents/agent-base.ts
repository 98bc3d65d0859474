import type { Knowledge } from '../contracts/knowledge.ts'
import type { AgentMemory, Memory } from '../contracts/memory.ts'
import type { Model } from '../contracts/model.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Tool, ToolRun } from '../contracts/tool.ts'
import type { Decisions } from '../data/approval-data.ts'
import type { Budget } from '../data/budget.ts'
import { checkId } from '../data/check-id.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { InputPart, UserMessage } from '../data/message.ts'
import { type DirectNotices, directNotices } from '../durable/notices/direct-notices.ts'
import type { Enqueuer } from '../durable/queue/enqueue.ts'
import type { ContinueOptions } from '../durable/stored/continue-stored.ts'
import type { WorkerParts } from '../durable/worker/worker-options.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import { copyDecisions } from '../runs/decisions/decisions.ts'
import { toUserMessage } from '../runs/driver/input.ts'
import type { AgentInfo, AgentRun, Runnable, RunOptions, ToolInfo } from '../runs/driver/run.ts'
import { type StartableRun, started, startRun } from '../runs/driver/run-driver.ts'
import { checkRunOptions } from '../runs/driver/run-options.ts'
import { checkClientTools } from '../tools/client-tools.ts'
import type { AddedTools } from '../tools/host-tools.ts'
import type { AgentHost } from './agent-host.ts'
import { answerOf } from './answer-of.ts'
import { checkRuntime } from './check-runtime.ts'
import { runRequest, type StartOptions } from './run-request.ts'
import { releaseLists } from './shared-lists.ts'
import { StoredRunsBase } from './stored-runs-base.ts'

/** What an agent shows of itself. */
type Description = {
  name: string
  description?: string | undefined
  samplePrompts?: readonly string[] | undefined
  version?: string | undefined
  budget?: Budget | undefined
  knowledge?: Knowledge | undefined
  clientTools?: { max: number } | undefined
}

/** What agents, swarms and workflows as agents have in common: they answer messages. */
export abstract class AgentBase<Output = undefined> extends StoredRunsBase<Output> implements Runnable {
  override readonly id: string
  readonly name: string
  readonly description: string | undefined
  readonly samplePrompts: readonly string[]
  readonly version: string | undefined
  readonly budget: Budget | undefined
  readonly knowledge: Knowledge | undefined
  readonly clientTools: { readonly max: number } | undefined
  abstract override readonly sessions: SessionStore
  /** @internal */
  protected host: AgentHost = {}
  #notices: DirectNotices | undefined
  /** The last that its host has given to a run. */
  #hostTools: readonly Tool[] = []

  /** @internal */
  constructor(
    id: string,
    { name, description, samplePrompts = [], version, budget, knowledge, clientTools }: Description,
  ) {
    super()
    checkRuntime()
    this.id = id
    this.name = name
    this.description = description
    this.samplePrompts = [...samplePrompts]
    this.version = version
    this.budget = budget && { ...budget }
    this.knowledge = knowledge
    this.clientTools = clientTools && { ...clientTools }
  }

  /** The members of a swarm, and the agents of a workflow; none of an agent. */
  get members(): readonly AgentInfo[] {
    return []
  }

  /**
   * The functions that its model may call, including those of its knowledge. Functions of MCP servers and skills of the
   * configuration are included after a run has connected them.
   */
  get tools(): readonly ToolInfo[] {
    const all = [...this.ownTools(), ...knownTools(this.knowledge), ...this.#hostTools]
    return all.map(({ name, description }) => ({ name, description }))
  }

  /** What the agent remembers of its users. Without the option `memory`, each call is refused as `unsupported`. */
  get memory(): Memory {
    return this.ownMemory() ?? noMemory(this.name)
  }

  /** The memory that it was given. @internal */
  protected ownMemory(): AgentMemory | undefined {
    return undefined
  }

  /** Whether messages may have images. The model may still refuse an image. */
  get acceptsImages(): boolean {
    try {
      this.host.check?.({ role: 'user', content: [{ type: 'image', base64: '', mediaType: 'image/png' }] })
      return true
    } catch {
      return false
    }
  }

  /** Those that its host gives to a run. @internal */
  protected async hostTools(run: ToolRun): Promise<AddedTools | undefined> {
    const added = await this.host.tools?.(run)
    if (added) this.#hostTools = added.tools
    return added
  }

  /** The functions that it was given. @internal */
  protected ownTools(): Iterable<Tool> {
    return []
  }

  /** The models that it calls, the preferred one first. */
  get models(): readonly Model[] {
    return this.toSpec().chain.models
  }

  /**
   * Called with the task when a swarm or a workflow calls this agent as a member.
   * @throws AgentKitError for a message that the agent does not accept
   */
  checkMessage(message: UserMessage): void {
    this.host.check?.(message)
  }

  /** What the loop runs, for swarms and workflows. @internal */
  abstract override toSpec(): AgentSpec

  /**
   * Answers one message.
   *
   * @param input text, or parts: text, images, files
   * @param options user, session, signal, deadline in milliseconds, budget
   * @returns the answer's text
   * @throws AgentKitError when the run fails, with its `runId` and `usage`
   */
  async chat(input: string | InputPart[], options: RunOptions = {}): Promise<string> {
    const result = await this.createRun(toUserMessage(input), options, { keepEvents: false })[started]()
    if (result.error) throw result.error
    return answerOf(result)
  }

  /** Answers one message as a run: iterate its events, await its `result`, or both. Either one starts the run. */
  stream(input: string | InputPart[], options: RunOptions = {}): AgentRun<Output> {
    return this.createRun(toUserMessage(input), options, { keepEvents: true })
  }

  /**
   * Resumes a run that is suspended for approval, here or in another process: it executes the approved calls, each
   * once, and continues.
   *
   * @param runId of the suspended run
   * @param decisions by `approvalId`: `true`, `{ deny: "why" }`, or `{ result }` for a call of unknown outcome or of a client tool. Approvals
   *   without a decision stay open.
   * @param options `userId`, where given, must be that of the run. `sessionId` and `history` are the run's own.
   * @returns a run with the same id; its `result` has the error `not-found` when no such run is suspended,
   *   `session-conflict` when another caller has resumed it, `invalid-argument` for an unknown approval
   * @example
   * const { runId, approvals } = await agent.stream('Pay the invoice.').result
   * // later, perhaps after a restart
   * await agent.resume(runId, { [approvals[0].approvalId]: true }).result
   */
  resume(runId: string, decisions: Decisions, options: RunOptions = {}): AgentRun<Output> {
    if (typeof runId !== 'string' || runId === '') throw invalidArgument('Pass the id of a run.')
    checkId('runId', runId)
    const resumed = { runId, decisions: copyDecisions(decisions) }
    return this.createRun({ role: 'user', content: '' }, options, { keepEvents: true, resumed })
  }

  /**
   * Continues a run whose process died or was stopped, or whose approvals are decided: it keeps its id, session, deadline
   * and budget, and nothing that it has finished is done again. Its result has the error `session-conflict` when another
   * process has it.
   * @param options.known the run, where it was just read
   * @param options.isDelivered whether it does not wait for its session, as a worker continues it, which tries again
   * @internal
   */
  override continueRun(runId: string, { signal, known, isDelivered = false }: ContinueOptions = {}): AgentRun<Output> {
    const options: RunOptions = { onApproval: 'end', ...(signal && { signal }) }
    const resumed = { runId, isDelivered, ...(known && { known }) }
    return this.createRun({ role: 'user', content: '' }, options, { keepEvents: false, resumed })
  }

  /** @internal */
  protected override enqueuer(): Enqueuer {
    return {
      spec: this.toSpec(),
      begin: () => this.host.begin?.(),
      check: (message) => this.host.check?.(message),
      notifies: this.host.notifies ?? false,
    }
  }

  /** Begins what its runs share, such as telemetry, for a server whose requests come before its runs. @internal */
  prepare(): void {
    this.host.begin?.()
  }

  /** @internal */
  override workerParts(): WorkerParts {
    return this.host.workerParts?.() ?? {}
  }

  /** @internal */
  protected override beforeWork(): Promise<void> | undefined {
    return this.host.work?.(this)
  }

  /**
   * Closes what the agent has opened, and lists of tools with a connection that no other agent uses. A store or knowledge
   * that was passed to the agent stays open.
   */
  async close(): Promise<void> {
    try {
      await this.#notices?.idle()
      await this.host.close?.()
    } finally {
      await releaseLists(this)
    }
  }

  /** A run that has not started yet. @internal */
  protected createRun(
    input: UserMessage,
    options: RunOptions,
    start: StartOptions,
    spec: AgentSpec = this.toSpec(),
  ): StartableRun<Output> {
    this.host.begin?.()
    this.host.check?.(input)
    checkRunOptions(options)
    // A copy: the caller often adds the question to its own list before the run begins.
    const history = [...(options.history ?? [])]
    for (const message of history) if (message.role === 'user') this.host.check?.(message)
    const clientTools =
      options.clientTools && checkClientTools(options.clientTools, { max: this.clientTools?.max, tools: this.tools })
    const notices = this.#noticesOf(spec)
    const run = startRun(runRequest(spec, { input, options, history, clientTools, notices }, start))
    // The schema that validates `output` also defines its type.
    return run as StartableRun<Output>
  }

  /** @internal */
  protected deliverNotices(): void {
    try {
      this.#noticesOf(this.toSpec())?.during(Promise.resolve())
    } catch {
      // A webhook that is set up wrongly here is left to others.
    }
  }

  /** `undefined` where no one is notified of the end of its runs, or the store keeps no notices. */
  #noticesOf({ sessions, onRunEnd }: AgentSpec): DirectNotices | undefined {
    if ((!onRunEnd && !this.host.notifies) || !sessions.runs?.background) return undefined
    if (!this.#notices) {
      const { deliver } = this.workerParts()
      this.#notices = directNotices(this.id, sessions, { hookOf: () => onRunEnd, deliverOf: () => deliver })
    }
    return this.#notices
  }
}

function noMemory(name: string): Memory {
  const refuse = async (): Promise<never> => {
    throw new AgentKitError('unsupported', `"${name}" has no memory. Give it the option \`memory\`.`)
  }
  return { search: refuse, notes: refuse, delete: refuse }
}

/** The tools of the knowledge, once it is loaded; a run reports why they cannot be read. */
function knownTools(knowledge: Knowledge | undefined): readonly Tool[] {
  try {
    return knowledge?.tools() ?? []
  } catch {
    return []
  }
}
