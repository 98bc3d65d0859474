import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { limits } from './limits.ts'
import type { Server } from './options.ts'

/** A call that is running, and what its result should say. */
export type RunningCall = { readonly tool: string; readonly signal: AbortSignal; readonly notes: string[] }

/**
 * Answers a server that requests input. What is declined is said in the result of the call, if one call alone is running.
 */
export async function elicit(
  { params }: ElicitRequest,
  server: Server,
  calls: ReadonlySet<RunningCall>,
  open: { count: number },
): Promise<ElicitResult> {
  const [only] = calls.size === 1 ? calls : []
  const { onElicit, name } = server
  if (!onElicit || calls.size === 0 || open.count >= limits.openElicitations) {
    only?.notes.push(declined(params, name))
    return { action: 'decline' }
  }
  open.count++
  try {
    const signal = only?.signal ?? AbortSignal.any([...calls].map((call) => call.signal))
    return await onElicit(params, { server: name, ...(only && { tool: only.tool }), signal })
  } catch {
    only?.notes.push(`[The request of the MCP server "${name}" for input failed.]`)
    return { action: 'cancel' }
  } finally {
    open.count--
  }
}

/** The address is shown, and never opened. */
function declined(params: ElicitRequest['params'], server: string): string {
  const message = params.message.slice(0, limits.errorChars)
  const address = params.mode === 'url' ? ` It asked to open ${params.url.slice(0, limits.errorChars)} .` : ''
  return `[The MCP server "${server}" requested input, which was declined: ${JSON.stringify(message)}.${address}]`
}
