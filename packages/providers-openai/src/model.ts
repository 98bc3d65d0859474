import type { Model, ModelRequest, ModelStream } from '@agentkit/core'
import {
  type CallTimeouts,
  ChatReader,
  callSignal,
  type ModelCall,
  type NodeFetchInit,
  type OpenAITraits,
  openaiTraits,
  ResponsesReader,
  streamModel,
  toChatRequest,
  toResponsesRequest,
} from '@agentkit/wire'
import type { OpenAI } from 'openai'
import type { Connection } from './connection.ts'
import { errorContext, toOpenAIError } from './errors.ts'
import { modelInfo } from './model-info.ts'

/** A model of an OpenAI-like server, on the wire that its connection speaks. */
export function openaiModel(id: string, connection: Connection, timeouts: Required<CallTimeouts>): Model {
  const traits = openaiTraits(id)
  const context = errorContext(id, connection)
  const wire = connection.api === 'responses' ? responsesWire(id, traits) : chatWire(id, traits, connection)
  const info = modelInfo(id, connection.official)
  return {
    id: `openai/${id}`,
    ...(info && { info }),
    stream(request: ModelRequest, signal: AbortSignal): ModelStream {
      const { warnings, send } = wire(request)
      const client = connection.client
      return streamModel({
        provider: 'openai',
        model: id,
        signal,
        timeouts,
        warnings,
        send: async (signal) => send(await client(), { ...abortedBy(signal, connection), ...ownCall }),
        reader: connection.api === 'responses' ? new ResponsesReader(context) : new ChatReader(context),
        toError: (error) => toOpenAIError(error, context),
      })
    },
  }
}

type Wire = (request: ModelRequest) => Pick<ModelCall, 'warnings'> & {
  send(client: OpenAI, options: SendOptions): Promise<Response>
}

type SendOptions = Pick<OpenAI.RequestOptions, 'signal' | 'fetchOptions' | 'maxRetries' | 'timeout'>

function abortedBy(signal: AbortSignal, { ownFetch }: Connection): Pick<SendOptions, 'signal' | 'fetchOptions'> {
  if (!ownFetch) return { signal }
  // The SDK hands on what it does not know.
  const init: NodeFetchInit = { [callSignal]: signal }
  return { fetchOptions: init as NonNullable<SendOptions['fetchOptions']> }
}

/** Retries are core's, and the timers are ours: the SDK's own only cover the time to the headers. */
const ownCall = { maxRetries: 0, timeout: 2_147_483_647 }

function responsesWire(id: string, traits: OpenAITraits): Wire {
  return (request) => {
    const { body, warnings } = toResponsesRequest(id, `openai/${id}`, request, traits)
    return { warnings, send: (client, options) => post(client, '/responses', body, options) }
  }
}

type StreamingBody = OpenAI.ChatCompletionCreateParamsStreaming | OpenAI.Responses.ResponseCreateParamsStreaming

/** What `create(body)` sends, serialised at once: the SDK's own way calls back for every value of the conversation. */
function post(client: OpenAI, path: string, body: StreamingBody, options: SendOptions): Promise<Response> {
  const sent = { ...options, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  return client.post(path, { ...sent, stream: true }).asResponse()
}

/** OpenAI's own models keep OpenAI's ways wherever they are served; others get what every server knows. */
function chatWire(id: string, traits: OpenAITraits, { official }: Connection): Wire {
  const compat = {
    maxTokensField: official || traits.reasoning ? 'max_completion_tokens' : 'max_tokens',
    systemRole: traits.reasoning ? 'developer' : 'system',
    strict: official,
    traits,
  } as const
  return (request) => {
    const { body, warnings } = toChatRequest(id, request, compat)
    return { warnings, send: (client, options) => post(client, '/chat/completions', body, options) }
  }
}
