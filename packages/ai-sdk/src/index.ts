export type { AISDKModel } from './ai-sdk-model.ts'
export { fromAISDK } from './from-ai-sdk.ts'
export { type AgentLanguageModel, type ToAISDKOptions, toAISDK } from './to-ai-sdk.ts'
