export type { AzureOptions } from './connection.ts'
export { type AzureEmbedderOptions, type AzureModelOptions, type AzureProvider, azure } from './provider.ts'
