import type { AgentMemory } from '../contracts/memory.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Tool } from '../contracts/tool.ts'
import { limits } from '../limits.ts'
import type { AgentSpec } from '../loop/run/types.ts'
import type { ModelChain } from '../policies/fallback.ts'
import { hooksOf } from '../policies/hooks.ts'
import { checkPriced } from '../policies/price.ts'
import { checkRetry } from '../policies/retry.ts'
import { valueProblems } from '../schema/schema.ts'
import { compileOutput, type OutputFormat } from '../schema/structured-output.ts'
import { knowledgeTools } from '../tools/knowledge-tools.ts'
import { type AgentOptions, modelSettingsOf } from './agent-options.ts'
import { agentVersion, describeTools } from './agent-version.ts'

type Parts = {
  id: string
  chain: ModelChain
  sessions: SessionStore
  tools: Map<string, Tool>
  memory: AgentMemory | undefined
}

/** The agent as the loop needs it, from checked options. */
export function agentSpec<Output>(given: Omit<AgentOptions<Output>, 'model' | 'functions'>, parts: Parts): AgentSpec {
  const { tools, memory, ...own } = parts
  const { prices = {}, budget = {}, output } = given
  checkPriced(own.chain.models, prices, budget)
  let format: Promise<OutputFormat> | undefined
  const spec: AgentSpec = {
    ...own,
    name: given.name,
    description: given.description,
    storedVersion: agentVersion(given, tools),
    describeTools: () => describeTools(tools),
    toolNames: [...tools.keys()],
    instruction: given.instruction,
    modelSettings: modelSettingsOf(given),
    cache: given.cache ?? 'auto',
    prices,
    budget: { ...budget },
    retry: checkRetry(given.retry),
    guard: given.guard,
    hooks: hooksOf(given.hooks),
    onBusy: given.onBusy ?? 'queue',
    maxSteps: given.maxSteps ?? limits.maxSteps,
    toolTimeoutMs: given.toolTimeoutMs ?? limits.toolTimeoutMs,
    modelTimeoutMs: given.modelTimeoutMs ?? limits.modelTimeoutMs,
    timeoutMs: given.timeoutMs,
    approvalMs: (given.approvalDays ?? limits.approvalDays) * 86_400_000,
    onRunEnd: given.onRunEnd,
    hasClientTools: given.clientTools !== undefined || [...tools.values()].some(({ client }) => client),
    async resultProblems(name, result) {
      const output = tools.get(name)?.output
      return output && (await valueProblems(output, result, { name: `Tool "${name}"`, option: 'output' }))
    },
    notes: memory?.promptNotes?.bind(memory),
    tools: knowledgeTools(tools, given.knowledge),
  }
  return output ? { ...spec, outputFormat: () => (format ??= compileOutput(output)) } : spec
}
