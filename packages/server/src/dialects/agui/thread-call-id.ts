import { toolCallId } from '../common/tool-call-id.ts'

/**
 * The id of a call, unique in its thread. A member begins each task in a conversation of its own, so its model may use the
 * ids of an earlier run again, while a client has one call per id.
 * @param path of the member, below the outermost agent
 */
export function threadCallId(runId: string, path: readonly string[], callId: string): string {
  const id = toolCallId(path, callId)
  return path.length === 0 ? id : `${runId}/${id}`
}
