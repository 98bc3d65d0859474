export type { GeminiClient, GeminiOptions } from './connection.ts'
export {
  type GeminiEmbedderOptions,
  type GeminiModelOptions,
  type GeminiProvider,
  gemini,
} from './provider.ts'
