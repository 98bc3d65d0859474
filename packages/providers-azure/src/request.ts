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

/**
 * Maps a request to the API of the connection.
 * @param model of OpenAI's, which says what the deployment takes
 */
export function prepareCall(
  connection: Connection,
  context: ErrorContext,
  model: string,
): (request: ModelRequest) => PreparedCall {
  const known = openaiTraits(model)
  // Breakpoints are newer than the dated versions of the API.
  const traits = known.caching === 'breakpoints' && !connection.v1 ? { ...known, caching: 'automatic' as const } : known
  if (connection.api === 'responses') {
    const endpoint = { ...connection, context }
    return (request) => responsesCall(request, endpoint, traits)
  }
  const endpoint = { ...connection, context, path: pathOf(connection, context.model, '/chat/completions') }
  const compat: ChatCompat = {
    // Every model takes this field; reasoning models take no other.
    maxTokensField: 'max_completion_tokens',
    systemRole: traits.reasoning ? 'developer' : 'system',
    strict: true,
    mostStops: 4,
    traits,
  }
  return (request) => chatCall(request, endpoint, compat)
}

/**
 * The path of a deployment below the client's address. The SDK adds it only for a body that is an object, and ours is
 * text.
 */
export function pathOf({ v1, deploymentURL }: Connection, deployment: string, path: string): string {
  if (deploymentURL !== undefined) return `${deploymentURL}${path}`
  return v1 ? path : `/deployments/${encodeURIComponent(deployment)}${path}`
}
