import type { AgentEvent } from '@agentkit/core'
import { UsageError } from '../common/usage-error.ts'
import type { Answer, Asked, Partner, Question } from './partner.ts'
import { readEvents } from './read-events.ts'

/** How long an answer may take that is no stream. */
const timeoutMs = 15_000
const maxBytes = 8_000_000

/**
 * The agent of an agentkit server.
 *
 * @param askToken asks the user for the token, where the server needs one and AGENTKIT_TOKEN has none
 * @throws UsageError when there is no agentkit server at the address
 */
export async function serverPartner(address: URL, userId: string, askToken: () => Promise<string>): Promise<Partner> {
  const base = address.href.replace(/\/+$/, '')
  let token = process.env.AGENTKIT_TOKEN?.trim() ?? ''

  const send = async (path: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (token !== '') headers.set('authorization', `Bearer ${token}`)
    // The token goes to no other server.
    const response = await fetch(`${base}${path}`, { ...init, headers, redirect: 'error' }).catch((cause: unknown) => {
      if (init.signal.aborted) throw init.signal.reason
      throw new UsageError(`${base} does not answer (${codeOf(cause)}). Is the server running?`)
    })
    if (response.ok) return response
    throw await problemOf(response, base)
  }
  const read = async <Body>(path: string): Promise<Body> => {
    const response = await send(path, { signal: AbortSignal.timeout(timeoutMs) })
    return JSON.parse(await boundedText(response)) as Body // the shapes of http.md
  }

  type Info = {
    id?: string
    name?: string
    auth?: boolean
    user_id?: string
    tools?: { name: string; description: string }[]
  }
  let info = await read<Info>('/api/v1/info').catch((error: unknown) => {
    if (error instanceof SyntaxError) throw new UsageError(`There is no agentkit server at ${base}.`)
    throw error
  })
  if (info.auth === true && info.id === undefined) {
    if (token === '') token = (await askToken()).trim()
    info = await read<Info>('/api/v1/info')
    if (info.id === undefined) throw new UsageError(`${base} refuses the token. Set AGENTKIT_TOKEN.`)
  }
  const user = info.user_id ?? userId
  const query = `user_id=${encodeURIComponent(user)}`

  /** The further events of a run after its approvals have been decided. */
  async function continued(runId: string, asked: readonly Asked[], answers: readonly Answer[], signal: AbortSignal) {
    for (const [index, { approvalId }] of asked.entries()) {
      const isLast = index === asked.length - 1
      const body = JSON.stringify({ user_id: user, ...answers[index] })
      const headers = { 'content-type': 'application/json', accept: isLast ? 'text/event-stream' : 'application/json' }
      const path = `/api/v1/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(approvalId)}`
      const response = await send(path, { method: 'POST', headers, body, signal })
      if (isLast) return response
      await response.body?.cancel()
    }
    throw new Error('The run waits for nothing.')
  }

  return {
    name: info.name ?? base,
    async *ask(question, decide, signal) {
      const headers = { accept: 'text/event-stream' }
      let response = await send('/api/v1/chat_stream', {
        method: 'POST',
        headers,
        body: formOf(question, user),
        signal,
      })
      for (;;) {
        const asked: Asked[] = []
        let end: AgentEvent | undefined
        for await (const event of readEvents(response, signal)) {
          if (event.type === 'approval-request') asked.push(event)
          if (event.type === 'run-end') end = event
          else yield event
        }
        if (!end) throw new Error('The connection was lost before the answer was complete.')
        if (end.type !== 'run-end' || end.finishReason !== 'approval' || asked.length === 0) {
          yield end
          return
        }
        const answers: Answer[] = []
        for (const one of asked) answers.push(await decide(one))
        signal.throwIfAborted()
        response = await continued(end.runId, asked, answers, signal)
      }
    },
    async sessions() {
      const { sessions } = await read<{ sessions: { session_id: string; title: string; updated_at: string }[] }>(
        `/api/v1/sessions?${query}&limit=20`,
      )
      return sessions.map((one) => ({ sessionId: one.session_id, title: one.title, updatedAt: one.updated_at }))
    },
    tools: async () => (await read<Info>('/api/v1/info')).tools ?? [],
    files: async () => (await read<{ files: string[] }>(`/api/v1/files/?${query}`)).files,
    close: async () => {},
  }
}

function formOf({ text, files, sessionId, replaces }: Question, user: string): FormData {
  const form = new FormData()
  form.set('user_id', user)
  form.set('session_id', sessionId)
  form.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: text }] }))
  if (replaces !== undefined) form.set('replaces', replaces)
  for (const { name, mediaType, bytes } of files) form.append('files', new Blob([bytes], { type: mediaType }), name)
  return form
}

/** The sentence of a problem+json; of another answer its status. */
async function problemOf(response: Response, base: string): Promise<Error> {
  const text = await boundedText(response).catch(() => '')
  try {
    const { code, detail } = JSON.parse(text)
    if (code === 'unauthorized') return new UsageError(`${base} refuses the token. Set AGENTKIT_TOKEN.`)
    if (typeof detail === 'string') return new Error(`${code}: ${detail}`)
  } catch {
    // No JSON: it is no agentkit server, or a proxy answers.
  }
  return new UsageError(`${base} answers with ${response.status}. Is it an agentkit server?`)
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('The answer of the server is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code, message } = cause as { code?: string; message?: string } // what `fetch` throws
  return code ?? message ?? String(error)
}
