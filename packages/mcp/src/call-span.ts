import { tracer } from '@agentkit/core/internal'
import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { callError } from './mcp-error.ts'
import type { Server } from './options.ts'

/**
 * Sends a call within a span of its own, below that of the tool call. A failed call ends the span with the error that
 * the run receives.
 */
export async function withCallSpan(
  client: Client,
  { tool, server }: { tool: string; server: Server },
  send: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const protocol = client.getNegotiatedProtocolVersion()
  const span = tracer()?.start({ type: 'mcp', method: 'tools/call', tool, protocol, server: server.url })
  if (!span) return send()
  try {
    const result = await span.within(send)
    span.end({ isError: result.isError === true })
    return result
  } catch (error) {
    span.end({ error: callError(error, server, tool) })
    throw error
  }
}
