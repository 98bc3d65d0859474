export { type Failure, failureOfBody, failureOfSdkError, isFlatError } from './errors/failure.ts'
export { type ErrorContext, incompleteStream, providerError, toProviderError } from './errors/provider-error.ts'
export { boundedResponse } from './http/bounded-response.ts'
export { captureResponse, sdkFetch, throwingFetch } from './http/capture-response.ts'
export { postForStream } from './http/sdk-post.ts'
export { CallIds, wireCallId, wireToolName } from './messages/call-ids.ts'
export { type ConversionCaches, convertConversation, splitInstructions } from './messages/convert-conversation.ts'
export {
  imagesAfterResults,
  imagesHeading,
  movedImageNote,
  type TextResultMessage,
} from './messages/images-after-results.ts'
export {
  fileName,
  hasNonWebURL,
  isCommonImage,
  isTextType,
  type MediaPart,
  mediaSource,
  mediaURL,
} from './messages/media.ts'
export { readableMessages } from './messages/readable-messages.ts'
export { repairTranscript } from './messages/repair-transcript.ts'
export {
  argumentsObject,
  argumentsText,
  assistantText,
  continuePrompt,
  isBlank,
  partsOf,
  wellFormed,
} from './messages/text.ts'
export { withItems } from './openai/array-items.ts'
export { chatCall, responsesCall } from './openai/calls.ts'
export { ChatReader } from './openai/chat-reader.ts'
export { type ChatCompat, toChatRequest } from './openai/chat-request.ts'
export type { ChatRequest, ChatTool } from './openai/chat-types.ts'
export { openaiEmbedder } from './openai/embedder.ts'
export { isStrictSchema, toolParameters } from './openai/strict-schema.ts'
export { type OpenAITraits, openaiTraits } from './openai/traits.ts'
export { isCount, mergeUsage, withTotal } from './openai/usage.ts'
export { batchedEmbedder, type EmbedderOptions, vectorsByIndex } from './provider/batched-embedder.ts'
export {
  callTimeoutNames,
  checkOptions,
  chosenFetch,
  connectionOptionNames,
  isClient,
  type OptionTable,
} from './provider/factory-options.ts'
export { type ModelFacts, type ModelTable, modelFacts, modelInfoOf } from './provider/model-facts.ts'
export { modelTraits, type TraitTable } from './provider/model-traits.ts'
export { objectRoot } from './provider/object-root.ts'
export { isSettled, type PerRequest, perRequest, type SettledOptions } from './provider/per-request.ts'
export { type PreparedCall, providerModel } from './provider/provider-model.ts'
export {
  checkAddress,
  checkModelId,
  findKey,
  noEmbeddings,
  nonEmpty,
  once,
  requireKey,
  secretsOf,
} from './provider/provider-options.ts'
export { connectSdk, type SdkConnection } from './provider/sdk-connection.ts'
export { type CallTimeouts, CallWatch } from './stream/call-watch.ts'
export { type Frame, parseFrame } from './stream/frame.ts'
export type { FrameReader } from './stream/model-stream.ts'
export { ReplyBuilder } from './stream/reply-builder.ts'
export { isRecord, parseJSON } from './util/json.ts'
export { referenceStep } from './util/reference-step.ts'
