export type { GroqOptions } from './connection.ts'
export { type GroqModelOptions, type GroqProvider, groq } from './provider.ts'
