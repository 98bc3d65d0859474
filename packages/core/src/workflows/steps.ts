import type { AgentBase } from '../agents/agent-base.ts'
import { AgentKitError, type ErrorCode } from '../data/errors.ts'
import { currentRun, withSignal } from '../runs/current-run.ts'
import type { MemberOutcome } from '../runs/member-outcome.ts'
import { runMember } from '../swarm/run-member.ts'
import { untilAborted } from '../util/async/abort.ts'
import { redactedError } from '../util/text/redact.ts'
import { messageFor, valueText } from './message-for.ts'
import { beginStep, contextOf, type Flow, type StepContext, type WorkflowStep } from './step.ts'
import type { AskOptions } from './work.ts'
import type { WorkflowAgent } from './workflow-agent.ts'

/** A step that calls a function. */
export function functionStep(work: (value: unknown, context: StepContext) => unknown, label: string): WorkflowStep {
  return {
    agents: [],
    async run(value, flow) {
      await beginStep(flow)
      return callFunction(label, flow, (context) => work(value, context))
    },
  }
}

/** A step that runs an agent or a swarm. It returns the agent's answer, or its `output` where the agent has one. */
export function agentStep(agent: AgentBase<unknown>, label: string, ask?: AskOptions<unknown>['ask']): WorkflowStep {
  return {
    agents: [agent],
    async run(value, flow) {
      await beginStep(flow)
      const member = agent.toSpec()
      const question = ask ? await callFunction(label, flow, (context) => ask(value, context)) : value
      const input = messageFor(question, label)
      const { signal } = flow
      const outcome = await runMember(flow.run, { member, callId: flow.nextCall(), signal, history: [], input })
      if (outcome.status !== 'done') throw stepError(label, agent.name, outcome)
      if (!member.outputFormat) return outcome.text
      if (outcome.finishReason === 'stop') return outcome.output
      // A hook has blocked the output, or it was cut off: the text is not what the next step expects.
      const code = outcome.finishReason === 'content-filter' ? 'content-filter' : 'incomplete-stream'
      throw new AgentKitError(code, `The step "${label}" failed. "${agent.name}" gave no output. ${outcome.text}`)
    },
  }
}

/** A step that runs a workflow, with a budget and a deadline of its own, and its id in the path of events. */
export function nestedWorkflowStep(agent: WorkflowAgent<unknown>, label: string): WorkflowStep {
  return {
    agents: [agent],
    async run(value, flow) {
      await beginStep(flow)
      const { signal } = flow
      const member = agent.specFor(value)
      const input = { v: 1, role: 'user', content: valueText(value) } as const
      const call = { member, callId: flow.nextCall(), signal, history: [], input }
      const outcome = await atSameDepth(() => runMember(flow.run, call))
      if (outcome.finishReason !== 'stop') throw stepError(label, agent.name, outcome)
      return outcome.output
    },
  }
}

/** Workflows that are written inside each other are finite, so they do not count towards the limit of nested runs. */
function atSameDepth<Value>(work: () => Value): Value {
  const current = currentRun.getStore()
  return current ? currentRun.run({ ...current, depth: current.depth - 1 }, work) : work()
}

/**
 * Calls a user's function. When the run ends first, its result is ignored. The runs that it started end with the run, and
 * when it fails: of several at once, the others.
 * @throws AgentKitError as the function has thrown it, otherwise `tool-error`
 */
export async function callFunction<Value>(
  label: string,
  flow: Flow,
  work: (context: StepContext) => Value | PromiseLike<Value>,
): Promise<Value> {
  const failed = new AbortController()
  const signal = AbortSignal.any([flow.signal, failed.signal])
  try {
    return await untilAborted(
      signal,
      withSignal(signal, async () => work(contextOf({ ...flow, signal }))),
    )
  } catch (cause) {
    failed.abort(new AgentKitError('aborted', `The step "${label}" failed.`, { cause }))
    throw redactedError(cause, 'tool-error', `The step "${label}" failed.`, 'It threw an error without a message.')
  }
}

/** The error of a workflow whose agent or nested workflow has not finished. */
function stepError(label: string, name: string, outcome: MemberOutcome): AgentKitError {
  const { status, reason = 'It failed.', finishReason, error, suspended } = outcome
  if (status === 'waiting') {
    const what = (suspended?.approvals ?? []).map((approval) => `"${approval.name}"`).join(', ')
    const message = `The step "${label}" waits for approval of ${what}, and a workflow cannot be resumed. Run "${name}" by itself or in a Swarm.`
    return new AgentKitError('unsupported', message)
  }
  // The budget is the run's, not the step's.
  if (status === 'budget') return new AgentKitError('budget', reason)
  const message = `The step "${label}" failed. ${error?.message ?? reason}`
  return error
    ? new AgentKitError(error.code, message, { ...error, cause: error.cause })
    : new AgentKitError(codes[finishReason] ?? 'tool-error', message)
}

const codes: { [reason: string]: ErrorCode } = {
  'max-steps': 'max-steps',
  'no-progress': 'no-progress',
  'content-filter': 'content-filter',
}
