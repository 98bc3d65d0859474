import { UsageError } from '../common/usage-error.ts'

/** How long an answer may take that is no stream. */
export const timeoutMs = 15_000
const maxBytes = 8_000_000

/** The problem with which the server refuses a request. */
export class ServerProblem extends Error {
  readonly status: number
  /** The run that has failed, if one had begun. */
  readonly runId: string | undefined

  constructor({ status, headers }: Response, message: string) {
    super(message)
    this.status = status
    this.runId = headers.get('x-run-id') ?? undefined
  }
}

/** The sentence of a problem+json; of another answer its status. */
export async function problemOf(response: Response, base: string): Promise<Error> {
  const text = await boundedText(response).catch(() => '')
  try {
    const { code, detail } = JSON.parse(text)
    if (code === 'unauthorized') return new UsageError(`${base} refuses the token. Set AGENTKIT_TOKEN.`)
    if (typeof code === 'string' && typeof detail === 'string') return new ServerProblem(response, `${code}: ${detail}`)
  } catch {
    // No JSON: it is no agentkit server, or a proxy answers.
  }
  return new UsageError(`${base} answers with ${response.status}. Is it an agentkit server?`)
}

/** The reason why no chat can begin with the server at the address. */
export function unusable(error: unknown, base: string): UsageError {
  if (error instanceof UsageError) return error
  if (error instanceof ServerProblem) return new UsageError(`${base} answers with ${error.status}, ${error.message}`)
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new UsageError(`${base} does not answer within ${timeoutMs / 1_000} s. Is the server running?`)
  }
  return new UsageError(`There is no agentkit server at ${base}.`)
}

export async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('The answer of the server is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, message } = cause as { code?: string; message?: string } // what `fetch` throws
  return code ?? message ?? String(error)
}
