import type { ToolSpec } from '../contracts/model.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Decisions } from '../data/approval-data.ts'
import { AgentKitError, invalidArgument } from '../data/errors.ts'
import type { JSONSchema, Message, UserMessage } from '../data/message.ts'
import type { DirectNotices } from '../durable/notices/direct-notices.ts'
import { type ContinueOptions, continueStored } from '../durable/stored/continue-stored.ts'
import { resumeStored } from '../durable/stored/resume-stored.ts'
import { type AgentSpec, anyUser, type Handover } from '../loop/run/types.ts'
import { runAgent } from '../loop/run-agent.ts'
import { tighten } from '../policies/budget.ts'
import { checkPriced } from '../policies/price.ts'
import { currentRun } from '../runs/current-run.ts'
import type { RunOptions } from '../runs/driver/run.ts'
import type { RunRequest } from '../runs/driver/run-driver.ts'
import { draftForm } from '../schema/draft-form.ts'
import { type RunControls, trackRun } from '../sessions/live-runs.ts'
import { whenEnded } from '../sessions/unended-runs.ts'

/** How a run begins. */
export type StartOptions = {
  /** Whether the run's events can be iterated. */
  keepEvents: boolean
  /** A stored run, with the decisions that it is resumed with; without them it continues where its process left it. */
  resumed?: { runId: string; decisions?: Decisions } & Pick<ContinueOptions, 'known' | 'isDelivered'>
}

/** A checked message to an agent, and what belongs to it. */
type Question = {
  input: UserMessage
  options: RunOptions
  history: readonly Message[]
  clientTools: readonly Tool[] | undefined
  /** Those of the agent, where someone is notified of the end of its runs. */
  notices: DirectNotices | undefined
}

/** What the driver needs for a run of an agent. */
export function runRequest(
  spec: AgentSpec,
  { input, options, history, clientTools, notices }: Question,
  { keepEvents, resumed }: StartOptions,
): RunRequest {
  const { userId = resumed ? anyUser : 'default', sessionId, signal, onApproval = 'wait' } = options
  const { replaces, resumable } = options
  const { decisions, known, isDelivered = false } = resumed ?? {}
  const budget = tighten(spec.budget, options.budget ?? {})
  checkPriced(spec.chain.models, spec.prices, budget)
  const scope = {
    ...{ userId, sessionId, input, history, budget, replaces, resumable, notifies: notices !== undefined },
    ...(clientTools && { clientTools: clientTools.map(specOf) }),
    ...(decisions ? { decisions } : resumed ? { continues: true as const, isDelivered, ...(known && { known }) } : {}),
  }
  // A run that a tool starts uses the budget of the run that calls the tool, and ends with it. One that a worker continues
  // does not: what wakes the worker may happen within another run.
  const parent = resumed && !decisions ? undefined : currentRun.getStore()
  const handover = resumable || resumed ? newHandover() : undefined
  return {
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
      notices?.during(settled.then(() => whenEnded(spec.sessions, driver.runId)))
      return settled
    },
  }
}

function newHandover(): Handover {
  const message = 'The process of the run stops: another one continues it.'
  return { isRequested: false, reason: new AgentKitError('aborted', message) }
}

/** As the run stores it. */
function specOf({ name, description, inputSchema }: Tool): ToolSpec {
  // The cast holds: schemas of a client are plain JSON.
  return { name, description, inputSchema: inputSchema as JSONSchema }
}

/** A run's deadline tightens its agent's, and cannot loosen it. */
function shorter(ofAgent: number | undefined, ofRun: number | undefined): number | undefined {
  return ofAgent === undefined || ofRun === undefined ? (ofAgent ?? ofRun) : Math.min(ofAgent, ofRun)
}
