import { isAgentKitError } from '@agentkit/core'
import { findModel } from '../../models/model-name.ts'
import { defaultModel } from '../../models/named-model.ts'
import { noProviders } from '../../models/named-provider.ts'
import { usualModels } from '../../models/provider-table.ts'
import { isProviderId, keyOf, type ProviderId, providerIds } from '../../models/providers.ts'
import { oneOf } from '../common/choice.ts'
import { type PackageManager, packageManager } from '../common/package-manager.ts'
import { UsageError } from '../common/usage-error.ts'
import { type Template, templates } from './templates.ts'

/** The options of the command, as they were passed. */
export type InitFlags = {
  provider?: string[]
  template?: Template
  model?: string
  pm?: PackageManager
  yes?: true
  install: boolean
  force?: true
}

/** Everything that is known before a file is written. */
export type Choices = {
  /** The agent's first. */
  providers: readonly ProviderId[]
  template: Template
  /** Absent, the agent has the default model, and without a key the commands answer offline. */
  model?: string
  manager: PackageManager
}

/** The choices that the options make. @throws UsageError for unknown words, with the nearest known word */
export function givenChoices({ provider, template, model, pm }: InitFlags): Partial<Choices> {
  const providers = (provider ?? []).map((name) =>
    oneOf('--provider', name === 'google' ? 'gemini' : name, providerIds),
  )
  const own = model === undefined ? undefined : providerOf(model)
  const all = [...new Set([...(own ? [own] : []), ...providers])].filter(isProviderId)
  return {
    ...(all.length > 0 && { providers: all }),
    ...(template !== undefined && { template }),
    ...(model !== undefined && { model }),
    ...(pm !== undefined && { manager: pm }),
  }
}

function providerOf(model: string): string {
  try {
    return findModel(model, noProviders).provider
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    throw new UsageError(error.message)
  }
}

/** Adds defaults for the choices that are not given, and returns lines that report them. */
export function withDefaults(given: Partial<Choices>, folder: string): { choices: Choices; lines: string[] } {
  const keyed = providerIds.filter((id) => keyOf(id) !== undefined)
  const { providers = [keyed[0] ?? 'openai'], template = 'agent', manager = packageManager(folder) } = given
  const model = given.model ?? modelOf(providers)
  const lines = [
    ...(given.providers ? [] : [`provider: ${providers[0]} (--provider ${providerIds.join('|')})`]),
    ...(given.template ? [] : [`template: ${template} (--template ${templates.join('|')})`]),
    ...(given.model ? [] : [`model: ${model ?? defaultModel} (--model <name>)`]),
    ...(given.manager ? [] : [`package manager: ${manager} (--pm npm|pnpm|yarn|bun)`]),
  ]
  return { choices: { providers, template, manager, ...(model !== undefined && { model }) }, lines }
}

/** OpenAI's is the default: unnamed, the commands answer without a key too. */
function modelOf([provider]: readonly ProviderId[]): string | undefined {
  return provider === undefined || provider === 'openai' ? undefined : usualModels[provider]
}
