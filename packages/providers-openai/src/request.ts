import type { ModelRequest } from '@agentkit/core'
import {
  type ChatCompat,
  chatCall,
  type ErrorContext,
  openaiTraits,
  type PreparedCall,
  responsesCall,
} from '@agentkit/wire'
import type { Connection } from './connection.ts'

/** Maps a request to the wire that the connection speaks. */
export function prepareCall(connection: Connection, context: ErrorContext): (request: ModelRequest) => PreparedCall {
  const { api, official } = connection
  const traits = openaiTraits(context.model)
  const endpoint = { ...connection, context }
  if (api === 'responses') return (request) => responsesCall(request, endpoint, traits)
  // OpenAI's own models keep OpenAI's ways wherever they are served; others get what every server knows.
  const compat: ChatCompat = {
    maxTokensField: official || traits.reasoning ? 'max_completion_tokens' : 'max_tokens',
    systemRole: traits.reasoning ? 'developer' : 'system',
    strict: official,
    traits,
  }
  return (request) => chatCall(request, endpoint, compat)
}
