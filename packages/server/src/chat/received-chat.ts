import { beginUpload } from '../files/begin-upload.ts'
import { type ChatRequest, readChatRequest } from '../request/chat-request.ts'
import type { RouteParts } from '../request/parts.ts'
import { isJSON } from '../request/read-json.ts'
import type { ServerContext } from '../util/server-env.ts'

export type ReceivedChat = {
  request: ChatRequest
  /** Stores its files, which are searchable then. */
  store(): Promise<void>
  /** Called when the run has started: the body is then no longer held in memory. */
  release(): void
}

/**
 * Reads a chat with its files, and handles it.
 * @param handle calls `release`, also when it fails
 */
export async function receiveChat(
  context: ServerContext,
  parts: RouteParts,
  handle: (chat: ReceivedChat) => Promise<Response>,
): Promise<Response> {
  const { capacity, limits } = parts
  const held = capacity.hold()
  const files = isJSON(context.req.header('content-type')) ? undefined : await beginUpload(context, parts)
  try {
    const request = await readChatRequest(context, { limits, runs: capacity.runs, held, files })
    const store = async (): Promise<void> => {
      if (files && files.files.length > 0) await files.store(request.userId)
    }
    return await handle({ request, store, release: held.release })
  } catch (error) {
    held.release()
    throw error
  } finally {
    await files?.discard()
  }
}
