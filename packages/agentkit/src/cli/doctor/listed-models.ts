import { systemCode } from '@agentkit/core/internal'
import type { ModelListRequest } from '../../models/list-models.ts'

/** How a provider answers the request for its models. */
export type ListedModels =
  | { type: 'models'; ids: readonly string[] }
  | { type: 'refused'; status: number }
  | { type: 'other'; status: number }
  | { type: 'unreachable'; reason: string }

const timeoutMs = 5_000
const maxBytes = 8_000_000

/** Lists the models of a provider within 5 seconds. */
export async function listModels({ url, headers }: ModelListRequest, signal: AbortSignal): Promise<ListedModels> {
  // The error of `fetch` would show them.
  const { username, password } = URL.parse(url) ?? { username: '', password: '' }
  if (username !== '' || password !== '') {
    return { type: 'unreachable', reason: 'the address has a user or a password in it, which are not sent' }
  }
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    // A redirect would take the key to another server.
    const response = await fetch(url, { headers, redirect: 'manual', signal: until })
    const { status } = response
    if (status === 401 || status === 403 || (status === 400 && (await isKeyProblem(response)))) {
      return { type: 'refused', status }
    }
    if (status !== 200) return { type: 'other', status }
    const ids = idsIn(await readText(response))
    return ids ? { type: 'models', ids } : { type: 'other', status }
  } catch (error) {
    return { type: 'unreachable', reason: until.aborted ? 'no answer within 5 seconds' : reasonOf(error) }
  }
}

/** Gemini answers a wrong key with 400. */
async function isKeyProblem(response: Response): Promise<boolean> {
  return /API.?key/i.test(await readText(response))
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('its list is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** `{ data: [{ id }] }`, or `{ models: [{ name }] }`. */
function idsIn(text: string): string[] | undefined {
  try {
    const { data, models } = Object(JSON.parse(text)) as { data?: unknown; models?: unknown }
    const list = [data, models].find(Array.isArray)
    return list?.flatMap((entry) => [Object(entry).id, Object(entry).name]).filter((id) => typeof id === 'string')
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return systemCode(cause) ?? (cause instanceof Error ? cause.message : String(cause))
}
