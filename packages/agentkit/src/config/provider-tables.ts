import type { ModelInfo } from '@agentkit/core'
import type { NamedModelFacts, NamedProvider } from '../models/named-provider.ts'
import { isProviderId } from '../models/providers.ts'
import type { ProviderModelTable, ProviderTable } from './config-keys.ts'

/** Why a name cannot be one of `[providers]`; `undefined` for one that can. */
export function providerNameProblem(name: string): string | undefined {
  if (isProviderId(name) || name === 'google') {
    return `"${name}" is built in. Choose another name, such as [providers.my-${name}].`
  }
  if (/^[a-z0-9][a-z0-9_.-]{0,63}$/i.test(name)) return undefined
  return `"${name}" cannot be a provider's name: at most 64 letters, digits, "-", "_" and ".", a letter or digit first.`
}

/** Why a table is incomplete or contradicts itself. */
export function providerProblem(table: ProviderTable): string | undefined {
  if (table.kind === undefined) return 'Required: kind. Write kind = "openai-compatible".'
  if (table.base_url === undefined) return 'Required: base_url. Write for example base_url = "https://api.x.ai/v1".'
  const authorization = Object.keys(table.headers ?? {}).find((name) => name.toLowerCase() === 'authorization')
  if (authorization !== undefined && table.key_env !== undefined) {
    return `The header "${authorization}" and key_env both set the key. Leave one out.`
  }
  return undefined
}

/** A checked table as a provider. */
export function toNamedProvider(
  name: string,
  table: ProviderTable,
  models: ReadonlyMap<string, ProviderModelTable> | undefined,
): NamedProvider {
  const { base_url: baseURL = '', key_env, api = 'chat', headers, embeddings } = table
  return {
    ...{ name, baseURL, api },
    ...(key_env !== undefined && { keyVariable: key_env }),
    ...(headers && { headers }),
    ...(embeddings !== undefined && embeddings !== false && { embeddings }),
    ...(models && { models: new Map([...models].map(([model, facts]) => [model, factsOf(facts)])) }),
  }
}

function factsOf(table: ProviderModelTable): NamedModelFacts {
  const { context_window, max_output_tokens, images } = table
  const input = table.input_usd_per_million
  const output = table.output_usd_per_million
  const price = input === undefined || output === undefined ? undefined : { input, output }
  const info: ModelInfo = {
    ...(context_window !== undefined && { contextWindow: context_window }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(price && {
      price: {
        inputUsdPerMillion: price.input,
        outputUsdPerMillion: price.output,
        asOf: table.as_of ?? new Date().toISOString().slice(0, 10),
      },
    }),
  }
  return { ...(Object.keys(info).length > 0 && { info }), ...(images !== undefined && { images }) }
}
