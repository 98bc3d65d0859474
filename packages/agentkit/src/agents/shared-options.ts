import type { Budget, AgentOptions as CoreOptions, ModelSettings, SessionStore } from '@agentkit/core'
import { invalidConfig } from '@agentkit/core/internal'
import type { AgentTable } from '../config/config-keys.ts'
import { SDKContext } from '../config/sdk-context.ts'
import { definedOnly } from '../util/defined-only.ts'

/** The options that agents and swarms read from their table unless they are passed. */
export function sharedOptions(
  own: Omit<CoreOptions<never>, 'model' | 'sessions' | 'functions' | 'output' | 'memory'>,
  settings: AgentTable,
): Partial<Omit<CoreOptions<never>, 'output'>> {
  return definedOnly({
    instruction: own.instruction ?? settings.instruction,
    description: own.description ?? settings.description,
    version: own.version ?? settings.version,
    samplePrompts: own.samplePrompts ?? settings.sample_prompts,
    modelSettings: { ...modelSettingsOf(settings, own), ...own.modelSettings },
    cache: own.cache ?? settings.cache,
    maxSteps: own.maxSteps ?? settings.max_steps,
    toolTimeoutMs: own.toolTimeoutMs ?? milliseconds(settings.tool_timeout),
    budget: own.budget ?? budgetOf(settings),
    onBusy: own.onBusy ?? settings.on_busy,
    approvalDays: own.approvalDays ?? settings.approval_days,
  })
}

/** The context that was passed, or a new one. */
export function contextOf({
  sdkContext,
  configPath,
}: {
  sdkContext?: SDKContext | undefined
  configPath?: string | undefined
}): SDKContext {
  if (sdkContext && configPath !== undefined) {
    throw invalidConfig('Pass `sdkContext` or `configPath`, not both: a context has a file of its own.')
  }
  return sdkContext ?? new SDKContext(definedOnly({ configPath }))
}

/** The table's settings, without those that are options of the agent: core takes each once. */
function modelSettingsOf(
  { temperature, reasoning, max_output_tokens }: AgentTable,
  own: Pick<CoreOptions, 'temperature' | 'reasoning' | 'maxOutputTokens'>,
): ModelSettings {
  return definedOnly({
    temperature: own.temperature === undefined ? temperature : undefined,
    reasoning: own.reasoning === undefined ? reasoning : undefined,
    maxOutputTokens: own.maxOutputTokens === undefined ? max_output_tokens : undefined,
  })
}

function budgetOf({ budget }: AgentTable): Budget | undefined {
  if (!budget) return undefined
  const { usd, tokens, model_calls, tool_calls, seconds } = budget
  return definedOnly({ usd, tokens, modelCalls: model_calls, toolCalls: tool_calls, seconds })
}

/** The session store of an agent's `sessions`. */
export function sessionsOf(sessions: SessionStore | string | undefined, context: SDKContext): SessionStore {
  return typeof sessions === 'object' ? sessions : context.sessionsAt(sessions)
}

export function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1000)
}
