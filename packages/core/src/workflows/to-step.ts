import type { AgentBase } from '../agents/agent-base.ts'
import { invalidArgument } from '../data/errors.ts'
import { checkOptionNames } from '../util/option-names.ts'
import { agentStep } from './agent-step.ts'
import { functionStep } from './function-step.ts'
import type { Step } from './step.ts'
import type { AskOptions, StepContext } from './work.ts'
import type { WorkflowAgent } from './workflow-agent.ts'
import { workflowStep } from './workflow-step.ts'

/** What `Work` is when the program runs. */
type AnyWork =
  | ((value: unknown, context: StepContext) => unknown)
  | { workflowAgent: WorkflowAgent<unknown> }
  | AgentBase<unknown>

const askOptionNames = { ask: true } satisfies Record<keyof AskOptions<never>, true>

/** @throws AgentKitError `invalid-argument` for what is no step, and for an option that does not exist */
export function toStep(work: unknown, label: string, options: Partial<AskOptions<unknown>> = {}): Step {
  checkOptionNames(options, askOptionNames, { code: 'invalid-argument' })
  const { ask } = options
  if (ask !== undefined && typeof ask !== 'function')
    throw invalidArgument('`ask` is a function that says what agents are asked.')
  if (!isWork(work)) throw invalidArgument(`The step "${label}" is no agent, swarm, workflow or function.`)
  if (typeof work === 'function') return functionStep(work, label)
  if ('workflowAgent' in work) return workflowStep(work.workflowAgent, label)
  return agentStep(work, label, ask)
}

export function isWork(work: unknown): work is AnyWork {
  if (typeof work === 'function') return true
  return typeof work === 'object' && work !== null && ('workflowAgent' in work || 'toSpec' in work)
}

/** What a step is called where nobody has named it. */
export function labelOf(work: unknown, place: string): string {
  const isNamed = (typeof work === 'function' || typeof work === 'object') && work !== null && 'name' in work
  return isNamed && typeof work.name === 'string' && work.name !== '' ? work.name : place
}
