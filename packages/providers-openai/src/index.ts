export type { OpenAIOptions } from './connection.ts'
export { type OpenAIEmbedderOptions, type OpenAIModelOptions, type OpenAIProvider, openai } from './provider.ts'
