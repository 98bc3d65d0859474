import { type AgentOptions, wholeNumber } from './agent-options.ts'
import type { ModelChain } from './fallback.ts'
import { knowledgeTools } from './knowledge-tools.ts'
import { limits } from './limits.ts'
import { checkPriced } from './model-price.ts'
import type { AgentSpec } from './open-run.ts'
import { checkRetry } from './retry.ts'
import type { SessionStore } from './session.ts'
import { compileOutput, type OutputFormat } from './structured-output.ts'
import { milliseconds, type Tool } from './tool.ts'

type Parts = { id: string; chain: ModelChain; sessions: SessionStore; tools: Map<string, Tool> }

/** What the loop needs of an agent, of options that were checked. */
export function agentSpec<Output>(given: Omit<AgentOptions<Output>, 'model' | 'functions'>, parts: Parts): AgentSpec {
  const { id, chain, sessions, tools } = parts
  const {
    instruction,
    prices = {},
    budget = {},
    hooks = {},
    onBusy = 'queue',
    guard,
    output,
    modelSettings = {},
  } = given
  checkPriced(chain.models, prices, budget)
  let format: Promise<OutputFormat> | undefined
  const spec: AgentSpec = {
    id,
    name: given.name,
    description: given.description,
    instruction,
    chain,
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
    timeoutMs: milliseconds('`timeoutMs`', given.timeoutMs),
    tools: knowledgeTools(tools, given.knowledge),
  }
  return output ? { ...spec, outputFormat: () => (format ??= compileOutput(output)) } : spec
}
