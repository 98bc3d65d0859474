import type { AgentBase } from '../agents/agent-base.ts'
import { invalidArgument } from '../data/errors.ts'
import { checkOptions, isFunction, type OptionRules } from '../util/options/check-options.ts'
import type { StepContext, WorkflowStep } from './step.ts'
import { agentStep, functionStep, nestedWorkflowStep } from './steps.ts'
import type { AskOptions } from './work.ts'
import type { WorkflowAgent } from './workflow-agent.ts'

/** `Work` at run time. */
type AnyWork =
  | ((value: unknown, context: StepContext) => unknown)
  | { workflowAgent: WorkflowAgent<unknown> }
  | AgentBase<unknown>

const askRules = {
  ask: { is: 'a function that returns a question', holds: isFunction.holds },
} satisfies OptionRules<AskOptions<never>>

/** @throws AgentKitError `invalid-argument` for a value that is not a step, and for an unknown option */
export function toStep(work: unknown, label: string, options: Partial<AskOptions<unknown>> = {}): WorkflowStep {
  checkOptions(options, askRules)
  const { ask } = options
  if (!isWork(work)) throw invalidArgument(`The step "${label}" is not an agent, a swarm, a workflow or a function.`)
  if (typeof work === 'function') return functionStep(work, label)
  if ('workflowAgent' in work) return nestedWorkflowStep(work.workflowAgent, label)
  return agentStep(work, label, ask)
}

export function isWork(work: unknown): work is AnyWork {
  if (typeof work === 'function') return true
  return typeof work === 'object' && work !== null && ('workflowAgent' in work || 'toSpec' in work)
}

/** The name of a step that was added without one. */
export function labelOf(work: unknown, fallback: string): string {
  const isNamed = (typeof work === 'function' || typeof work === 'object') && work !== null && 'name' in work
  return isNamed && typeof work.name === 'string' && work.name !== '' ? work.name : fallback
}
