export type { MistralOptions } from './connection.ts'
export { type MistralEmbedderOptions, type MistralModelOptions, type MistralProvider, mistral } from './provider.ts'
