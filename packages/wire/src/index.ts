export { type BatchedEmbedderOptions, batchedEmbedder, vectorsByIndex } from './batched-embedder.ts'
export { CallIds } from './call-ids.ts'
export { type Callee, type CallTimeouts, CallWatch, checkTimeouts } from './call-watch.ts'
export { toChatMessages } from './chat-messages.ts'
export { ChatReader } from './chat-reader.ts'
export { type ChatCompat, toChatRequest } from './chat-request.ts'
export type { ChatMessage, ChatRequest, ChatTool, ChatToolCall, ChatUserPart } from './chat-types.ts'
export {
  type ConversationCache,
  type Convert,
  convertConversation,
} from './convert-conversation.ts'
export { type Failure, failureOfBody } from './failure.ts'
export type { Frame } from './frame.ts'
export type { ReasoningEffort } from './honoured-options.ts'
export { fileData, fileName, imageUrl } from './media.ts'
export { type ModelFacts, type ModelTable, modelFacts, modelInfoOf } from './model-facts.ts'
export { callSignal, type NodeFetchInit, nodeFetch } from './node-fetch.ts'
export { chatCall, type OpenAIEndpoint, responsesCall } from './openai-call.ts'
export { type OpenAIEmbedderEndpoint, openaiEmbedder } from './openai-embedder.ts'
export { type OpenAITraits, openaiTraits } from './openai-traits.ts'
export { type ParsedArguments, parseArguments } from './parse-arguments.ts'
export { parseFrame } from './parse-frame.ts'
export { type ErrorContext, networkError, providerError, toProviderError } from './provider-error.ts'
export { type PreparedCall, type ProviderModelOptions, providerModel } from './provider-model.ts'
export { checkAddress, findKey, type KeySource, once, requireKey, secretsOf, told } from './provider-options.ts'
export { type FrameOptions, type FrameSource, type Framing, readFrames } from './read-frames.ts'
export { readableMessages } from './readable-messages.ts'
export { repairTranscript } from './repair-transcript.ts'
export { Reply, type TellCall } from './reply.ts'
export { toResponsesItems } from './responses-items.ts'
export { ResponsesReader } from './responses-reader.ts'
export { toResponsesRequest } from './responses-request.ts'
export type {
  ResponsesAssistantItem,
  ResponsesInputPart,
  ResponsesItem,
  ResponsesReasoningItem,
  ResponsesRequest,
  ResponsesTool,
} from './responses-types.ts'
export { retryAfterMs } from './retry-after.ts'
export { failureOfSdkError } from './sdk-failure.ts'
export { type PostingClient, type PostOptions, postForStream } from './sdk-post.ts'
export { SseParser } from './sse-parser.ts'
export { type FrameReader, type ModelCall, streamModel } from './stream-model.ts'
export { isStrictSchema, toolParameters } from './strict-schema.ts'
export { RefusedRequest, type TakeOptions, takeResponse } from './take-response.ts'
export { argumentsText, isBlank, wellFormed } from './text.ts'
export { mergeUsage, withTotal } from './usage.ts'
export { wireCallId } from './wire-call-id.ts'
export { wireToolName } from './wire-tool-name.ts'
