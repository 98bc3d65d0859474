import type { ModelRequest } from '@agentkit/core'
import type { ErrorContext } from '../errors/provider-error.ts'
import { type PostTarget, postForStream } from '../http/sdk-post.ts'
import type { PreparedCall } from '../provider/provider-model.ts'
import { ChatReader } from './chat-reader.ts'
import { type ChatCompat, toChatRequest } from './chat-request.ts'
import { ResponsesReader } from './responses-reader.ts'
import { toResponsesRequest } from './responses-request.ts'
import type { OpenAITraits } from './traits.ts'

/** A model on a server with one of OpenAI's APIs. */
export type OpenAIEndpoint = PostTarget & {
  context: ErrorContext
  /** The path below the client's base URL; OpenAI's when absent. */
  path?: string
}

/** Prepares a Chat Completions request. */
export function chatCall(request: ModelRequest, endpoint: OpenAIEndpoint, compat: ChatCompat): PreparedCall {
  const { body, warnings } = toChatRequest(endpoint.context.model, request, compat)
  const reader = new ChatReader(endpoint.context, request, compat.returnsTo !== undefined)
  return openaiCall(body, warnings, endpoint, '/chat/completions', reader)
}

/** Prepares a Responses request. */
export function responsesCall(request: ModelRequest, endpoint: OpenAIEndpoint, traits: OpenAITraits): PreparedCall {
  const { provider, model } = endpoint.context
  const { body, warnings } = toResponsesRequest(model, `${provider}/${model}`, request, traits)
  return openaiCall(body, warnings, endpoint, '/responses', new ResponsesReader(endpoint.context, request))
}

function openaiCall(
  body: object,
  warnings: string[],
  endpoint: OpenAIEndpoint,
  usualPath: string,
  reader: PreparedCall['reader'],
): PreparedCall {
  const send: PreparedCall['send'] = (signal) => postForStream(endpoint, endpoint.path ?? usualPath, body, { signal })
  return { warnings, send, reader }
}
