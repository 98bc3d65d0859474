export type { AcmeOptions } from './connection.ts'
export { type AcmeEmbedderOptions, type AcmeModelOptions, type AcmeProvider, acme } from './provider.ts'
