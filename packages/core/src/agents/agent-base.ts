import type { Knowledge } from '../contracts/knowledge.ts'
import type { AgentMemory, Memory } from '../contracts/memory.ts'
import type { Model, ToolSpec } from '../contracts/model.ts'
import type { StoredRun } from '../contracts/run-store.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Tool, ToolRun } from '../contracts/tool.ts'
import type { Decisions } from '../data/approval-data.ts'
import type { Budget } from '../data/budget.ts'
import { checkId } from '../data/check-id.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { InputPart, JSONSchema, UserMessage } from '../data/message.ts'
import { type ContinueOptions, continueStored } from '../durable/continue-stored.ts'
import { type DirectNotices, directNotices } from '../durable/direct-notices.ts'
import type { Enqueuer } from '../durable/enqueue.ts'
import { resumeStored } from '../durable/resume-stored.ts'
import type { WorkerParts } from '../durable/worker-options.ts'
import { runAgent } from '../loop/run-agent.ts'
import { type AgentSpec, anyUser, type Handover } from '../loop/types.ts'
import { tighten } from '../policies/budget.ts'
import { checkPriced } from '../policies/price.ts'
import { currentRun } from '../runs/current-run.ts'
import { copyDecisions } from '../runs/decisions.ts'
import { toUserMessage } from '../runs/input.ts'
import type { AgentInfo, AgentRun, Runnable, RunOptions, RunResult, ToolInfo } from '../runs/run.ts'
import { started, startRun } from '../runs/run-driver.ts'
import { checkRunOptions } from '../runs/run-options.ts'
import { draftForm } from '../schema/draft-form.ts'
import { type RunControls, trackRun } from '../sessions/live-runs.ts'
import { checkClientTools } from '../tools/client-tools.ts'
import type { AddedTools, HostTools } from '../tools/host-tools.ts'
import { releaseLists } from './shared-lists.ts'
import { StoredRunsBase } from './stored-runs-base.ts'

/** What a package around core adds to its agents. @internal */
export type AgentHost = {
  /** Tools that are known once a run begins, beside the agent's functions; the same list while they do not change. */
  tools?: HostTools
  /** Called before each run. */
  begin?(): void
  /** @throws AgentKitError for a message that the agent does not accept */
  check?(message: UserMessage): void
  /** Whether notices of its runs are kept, for `deliver` of `workerParts`. */
  notifies?: boolean
  /** Called when a worker of the agent starts, and before its first run where it notifies. @throws AgentKitError `invalid-config` */
  workerParts?(): WorkerParts
  /** Called when the agent is closed. */
  close?(): Promise<void>
}

type StartOptions = {
  /** Whether the run's events can be iterated. */
  keepEvents: boolean
  /** A stored run, with the decisions that it is resumed with; without them it continues where its process left it. */
  resumed?: { runId: string; decisions?: Decisions; known?: StoredRun }
}

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

/** What agents, swarms and workflows have in common: they answer messages. */
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
   * The functions that its model may call, with those of its knowledge. Those of MCP servers and skills of the configuration
   * are among them once a run has connected these.
   */
  get tools(): readonly ToolInfo[] {
    const all = [...this.ownTools(), ...knownTools(this.knowledge), ...this.#hostTools]
    return all.map(({ name, description }) => ({ name, description }))
  }

  /** What it remembers of its users. Without the option `memory`, each call is refused as `unsupported`. */
  get memory(): Memory {
    return this.ownMemory() ?? noMemory(this.name)
  }

  /** The memory that it was given. @internal */
  protected ownMemory(): AgentMemory | undefined {
    return undefined
  }

  /** Whether its messages may have images. The model may still refuse one. */
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
   * @internal
   */
  override continueRun(runId: string, { signal, known }: ContinueOptions = {}): AgentRun<Output> {
    const options: RunOptions = { onApproval: 'end', ...(signal && { signal }) }
    const resumed = { runId, ...(known && { known }) }
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

  /** @internal */
  override workerParts(): WorkerParts {
    return this.host.workerParts?.() ?? {}
  }

  /**
   * Closes what the agent has opened, and lists of tools with a connection that no other agent uses. A store or knowledge
   * that was passed to it stays open.
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
    { keepEvents, resumed }: StartOptions,
    spec: AgentSpec = this.toSpec(),
  ): StartableRun<Output> {
    this.host.begin?.()
    this.host.check?.(input)
    checkRunOptions(options)
    const { userId = resumed ? anyUser : 'default', sessionId, signal, onApproval = 'wait' } = options
    // A copy: the caller often adds the question to its own list before the run begins.
    const history = [...(options.history ?? [])]
    for (const message of history) if (message.role === 'user') this.host.check?.(message)
    const { replaces, resumable } = options
    const clientTools =
      options.clientTools && checkClientTools(options.clientTools, { max: this.clientTools?.max, tools: this.tools })
    const { decisions, known } = resumed ?? {}
    const notices = this.#noticesOf(spec)
    const budget = tighten(spec.budget, options.budget ?? {})
    checkPriced(spec.chain.models, spec.prices, budget)
    const scope = {
      ...{ userId, sessionId, input, history, budget, replaces, resumable, notifies: notices !== undefined },
      ...(clientTools && { clientTools: clientTools.map(specOf) }),
      ...(decisions ? { decisions } : resumed ? { continues: true as const, ...(known && { known }) } : {}),
    }
    // A run that a tool starts uses the budget of the run that calls the tool, and ends with it. One that a worker continues
    // does not: what wakes the worker may happen within another run.
    const parent = resumed && !decisions ? undefined : currentRun.getStore()
    const handover = resumable || resumed ? newHandover() : undefined
    const run = startRun({
      runId: resumed?.runId ?? `run_${crypto.randomUUID()}`,
      path: [spec.id],
      signal,
      // A run that continues has the deadline that it began with.
      timeoutMs: resumed && !decisions ? undefined : shorter(spec.timeoutMs, options.timeoutMs),
      keepEvents,
      waitForApprovals: onApproval === 'wait',
      reports: !resumed || decisions !== undefined,
      endsElsewhere: () => parent !== undefined || handover?.isRequested === true || handover?.isDelegated === true,
      form: async () => {
        if (spec.outputFormat) return draftForm(await spec.outputFormat())
        throw invalidArgument(`"${spec.name}" has no \`output\`: give it a schema, of whose answers there are drafts.`)
      },
      execute: (driver) => {
        const cancel = (): void => {
          driver.approvals.cancel()
          driver.end(new AgentKitError('aborted', 'The run was cancelled.'))
        }
        const handBack: RunControls['handBack'] = (when) => {
          if (handover) handover.isRequested = true
          if (handover && when === 'now') driver.end(handover.reason)
        }
        const controls: RunControls = { agentId: spec.id, cancel, ...(handover && { handBack }) }
        const whole = {
          ...driver,
          ...scope,
          parent,
          members: new Set<Promise<unknown>>(),
          ...(handover && { handover }),
        }
        const execute = decisions ? resumeStored : resumed ? continueStored : runAgent
        const settled = execute(spec, whole)
        trackRun(spec.sessions, driver.runId, controls, settled)
        notices?.during(settled)
        return settled
      },
    })
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

/** `started` starts it, as reading `result` does. */
type StartableRun<Output> = AgentRun<Output> & { [started](): AgentRun<Output>['result'] }

function noMemory(name: string): Memory {
  const refuse = async (): Promise<never> => {
    throw new AgentKitError('unsupported', `"${name}" has no memory. Give it the option \`memory\`.`)
  }
  return { search: refuse, notes: refuse, delete: refuse }
}

function newHandover(): Handover {
  const message = 'The process of the run stops: another one continues it.'
  return { isRequested: false, reason: new AgentKitError('aborted', message) }
}

/** As the run stores it. */
function specOf({ name, description, inputSchema }: Tool): ToolSpec {
  // Of a client, whose schemas are plain JSON.
  return { name, description, inputSchema: inputSchema as JSONSchema }
}

/** The tools of the knowledge, once it is loaded; a run reports why they cannot be read. */
function knownTools(knowledge: Knowledge | undefined): readonly Tool[] {
  try {
    return knowledge?.tools() ?? []
  } catch {
    return []
  }
}

/** A run's deadline tightens its agent's, and cannot loosen it. */
function shorter(ofAgent: number | undefined, ofRun: number | undefined): number | undefined {
  return ofAgent === undefined || ofRun === undefined ? (ofAgent ?? ofRun) : Math.min(ofAgent, ofRun)
}

/** A run that ended early still has an answer if it has any text. */
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
      // The last warning says why it ended.
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
