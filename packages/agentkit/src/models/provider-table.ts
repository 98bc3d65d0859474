// Generated from `agentkit` in the package.json of the providers: npm run derive

/**
 * The environment variables that hold each provider's key; the first one that is set is used. A key is sent to its own
 * provider only. A provider without variables needs no key.
 */
export const keyVariables = {
  openai: ['LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'],
  azure: ['AZURE_OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  groq: ['GROQ_API_KEY'],
  gemini: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ollama: [],
  offline: [],
} as const

export type ProviderId = keyof typeof keyVariables

/** The packages of the providers. */
export const packages: Readonly<Record<ProviderId, string>> = {
  openai: '@agentkit/providers-openai',
  azure: '@agentkit/providers-azure',
  anthropic: '@agentkit/providers-anthropic',
  mistral: '@agentkit/providers-mistral',
  groq: '@agentkit/providers-groq',
  gemini: '@agentkit/providers-gemini',
  ollama: '@agentkit/providers-ollama',
  offline: '@agentkit/providers-offline',
}

/** A model that each provider has; people choose another in the configuration. */
export const usualModels: Readonly<Record<ProviderId, string>> = {
  openai: 'openai/gpt-5.4-mini',
  azure: 'azure/gpt-5-mini',
  anthropic: 'anthropic/claude-sonnet-5',
  mistral: 'mistral/mistral-medium-latest',
  groq: 'groq/openai/gpt-oss-120b',
  gemini: 'gemini/gemini-flash-latest',
  ollama: 'ollama/llama3.2',
  offline: 'offline/extractive',
}

/** The prefixes of providers' keys. Keys of other providers have none. */
export const keyPrefixes: Partial<Record<ProviderId, string>> = {
  openai: 'sk-',
  anthropic: 'sk-ant-',
  groq: 'gsk_',
  gemini: 'AIza',
}
