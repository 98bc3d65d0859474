export type { OllamaOptions } from './connection.ts'
export { type OllamaEmbedderOptions, type OllamaModelOptions, type OllamaProvider, ollama } from './provider.ts'
