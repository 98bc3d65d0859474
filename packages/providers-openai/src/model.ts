import type { Model, ModelEvent, ModelRequest } from '@agentkit/core'
import {
  type CallTimeouts,
  ChatReader,
  type ModelCall,
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
  const info = connection.official ? modelInfo(id) : undefined
  return {
    id: `openai/${id}`,
    ...(info && { info }),
    stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
      const { warnings, send } = wire(request)
      const client = connection.client
      return streamModel({
        provider: 'openai',
        model: id,
        signal,
        timeouts,
        warnings,
        send: async (callSignal) => send(await client(), { signal: callSignal, ...ownCall }),
        reader: connection.api === 'responses' ? new ResponsesReader(context) : new ChatReader(context),
        toError: (error) => toOpenAIError(error, context),
      })
    },
  }
}

type Wire = (request: ModelRequest) => Pick<ModelCall, 'warnings'> & {
  send(client: OpenAI, options: { signal: AbortSignal; maxRetries: number; timeout: number }): Promise<Response>
}

/** Retries are core's, and the timers are ours: the SDK's own only cover the time to the headers. */
const ownCall = { maxRetries: 0, timeout: 2_147_483_647 }

function responsesWire(id: string, traits: OpenAITraits): Wire {
  return (request) => {
    const { body, warnings } = toResponsesRequest(id, `openai/${id}`, request, traits)
    return { warnings, send: (client, options) => client.responses.create(body, options).asResponse() }
  }
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
    return { warnings, send: (client, options) => client.chat.completions.create(body, options).asResponse() }
  }
}
