import type { FilePart, ImagePart, ModelRequest } from '@agentkit/core'
import type { ErrorContext } from '../errors/provider-error.ts'
import { type PostingClient, postForStream } from '../http/sdk-post.ts'
import { isImage } from '../messages/media.ts'
import { hasNonWebURL, isCommonImage, readableMessages } from '../messages/readable-messages.ts'
import type { PreparedCall } from '../provider/provider-model.ts'
import { ChatReader } from './chat-reader.ts'
import { type ChatCompat, toChatRequest } from './chat-request.ts'
import { ResponsesReader } from './responses-reader.ts'
import { toResponsesRequest } from './responses-request.ts'
import type { OpenAITraits } from './traits.ts'

/** A model of a server that speaks one of OpenAI's wires. */
export type OpenAIEndpoint = {
  context: ErrorContext
  client(): Promise<PostingClient>
  /** Whether the client sends by `nodeFetch`. */
  ownFetch: boolean
  /** Below the client's address; OpenAI's own when absent. */
  path?: string
}

/** A request in Chat Completions, ready to be sent. */
export function chatCall(request: ModelRequest, endpoint: OpenAIEndpoint, compat: ChatCompat): PreparedCall {
  const { model } = endpoint.context
  const unread: string[] = []
  const messages = readableMessages(request.messages, readByChat, model, unread)
  const { body, warnings } = toChatRequest(model, { ...request, messages }, compat)
  return openaiCall(body, [...unread, ...warnings], endpoint, '/chat/completions', new ChatReader(endpoint.context))
}

/** A request in Responses, ready to be sent. */
export function responsesCall(request: ModelRequest, endpoint: OpenAIEndpoint, traits: OpenAITraits): PreparedCall {
  const { provider, model } = endpoint.context
  const unread: string[] = []
  const messages = readableMessages(request.messages, readByResponses, model, unread)
  const { body, warnings } = toResponsesRequest(model, `${provider}/${model}`, { ...request, messages }, traits)
  return openaiCall(body, [...unread, ...warnings], endpoint, '/responses', new ResponsesReader(endpoint.context))
}

/** Chat Completions takes PDFs alone; its servers read text as text. */
function readByChat(part: ImagePart | FilePart): boolean {
  return isImage(part) ? isCommonImage(part) : part.mediaType === 'application/pdf' && !hasNonWebURL(part)
}

/** What lies on the web OpenAI fetches, and sees what it is. */
function readByResponses(part: ImagePart | FilePart): boolean {
  if (isImage(part)) return isCommonImage(part)
  return part.base64 === undefined ? !hasNonWebURL(part) : documents.test(part.mediaType ?? '')
}

/** https://developers.openai.com/api/docs/guides/file-inputs: PDFs, office documents, and text of any kind. */
const documents =
  /^text\/|[/+](?:pdf|json|xml|yaml|x-yaml|toml|javascript|typescript|csv|sql|rtf|msword)\b|^application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-(?:excel|powerpoint))/

function openaiCall(
  body: object,
  warnings: string[],
  { client, ownFetch, path }: OpenAIEndpoint,
  usualPath: string,
  reader: PreparedCall['reader'],
): PreparedCall {
  const send: PreparedCall['send'] = async (signal) =>
    postForStream(await client(), path ?? usualPath, body, { signal, ownFetch })
  return { warnings, send, reader }
}
