export type { AnthropicOptions } from './connection.ts'
export { type AnthropicModelOptions, type AnthropicProvider, anthropic } from './provider.ts'
