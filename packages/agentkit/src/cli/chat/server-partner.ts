import type { AgentEvent } from '@agentkit/core'
import { loadDotEnv } from '../../config/load-dot-env.ts'
import { printError } from '../common/print.ts'
import { UsageError } from '../common/usage-error.ts'
import {
  type Answer,
  type Asked,
  type Decide,
  FailedRun,
  type Partner,
  type Question,
  type Waiting,
} from './partner.ts'
import { connectionLost, readEvents } from './read-events.ts'
import { boundedText, codeOf, problemOf, ServerProblem, timeoutMs, unusable } from './server-problem.ts'

/**
 * The agent of an agentkit server.
 *
 * @param askToken asks the user for the token, where the server needs one and AGENTKIT_TOKEN has none
 * @throws UsageError when there is no agentkit server at the address
 */
export async function serverPartner(address: URL, userId: string, askToken: () => Promise<string>): Promise<Partner> {
  const base = address.href.replace(/\/+$/, '')
  // Variables such as AGENTKIT_TOKEN, as for an agent of this folder.
  const problem = loadDotEnv()
  if (problem !== undefined) printError(`warning: ${problem}`)
  let token = process.env.AGENTKIT_TOKEN?.trim() ?? ''

  const checkToken = (): void => {
    // `fetch` would refuse it by a sentence about headers, which may have the token.
    if (!/^[\x20-\x7e]*$/.test(token))
      throw new UsageError('The token has characters that no token has. Set AGENTKIT_TOKEN.')
  }
  checkToken()
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
  const readInfo = (): Promise<Info> => {
    return read<Info>('/api/v1/info').catch((error: unknown) => {
      throw unusable(error, base)
    })
  }
  let info = await readInfo()
  if (info.auth === true && info.id === undefined) {
    if (token === '') token = (await askToken()).trim()
    checkToken()
    info = await readInfo()
    if (info.id === undefined) throw new UsageError(`${base} refuses the token. Set AGENTKIT_TOKEN.`)
  }
  const user = info.user_id ?? userId
  const query = `user_id=${encodeURIComponent(user)}`

  /** The further events of a run after its approvals have been decided. */
  async function continued({ runId, asked }: Waiting, decide: Decide, signal: AbortSignal): Promise<Response> {
    const answers: Answer[] = []
    for (const one of asked) answers.push(await decide(one))
    signal.throwIfAborted()
    let last: Response | undefined
    for (const [index, one] of asked.entries()) {
      await last?.body?.cancel()
      const isLast = index === asked.length - 1
      const headers = { 'content-type': 'application/json', accept: isLast ? 'text/event-stream' : 'application/json' }
      const path = `/api/v1/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(one.approvalId)}`
      const post = (answer: Answer | undefined): Promise<Response> => {
        return send(path, { method: 'POST', headers, body: JSON.stringify({ user_id: user, ...answer }), signal })
      }
      for (let answer = answers[index]; ; ) {
        try {
          last = await post(answer)
          break
        } catch (error) {
          const isRefused = error instanceof ServerProblem && (error.status === 400 || error.status === 422)
          if (!isRefused || !answer || !('result' in answer)) throw error
          answer = await decide(one, `The result was not taken, as it does not fit the tool (${error.message}).`)
          signal.throwIfAborted()
        }
      }
    }
    if (last) return last
    throw new Error('The run waits for nothing.')
  }

  /** The failure of a question, with its run if the server has stored it. */
  async function failed(error: unknown): Promise<unknown> {
    if (!(error instanceof ServerProblem) || error.runId === undefined) return error
    const isStored = await read(`/api/v1/runs/${encodeURIComponent(error.runId)}?${query}`).then(
      () => true,
      () => false,
    )
    return isStored ? new FailedRun(error.runId, error) : error
  }

  /** Leaving the events of a run that was decided does not stop it. */
  async function cancel(runId: string): Promise<void> {
    const path = `/api/v1/runs/${encodeURIComponent(runId)}/cancel?${query}`
    // The user has stopped it, and sees no error of that.
    await send(path, { method: 'POST', signal: AbortSignal.timeout(timeoutMs) }).catch(() => {})
  }

  /**
   * The events of a run, whose approvals are asked.
   * @param decided the run, where it was decided before
   */
  async function* eventsOf(
    first: Response,
    decide: Decide,
    signal: AbortSignal,
    decided?: string,
  ): AsyncIterable<AgentEvent> {
    const run = { id: decided }
    try {
      yield* continuedEvents(first, decide, signal, run)
    } catch (error) {
      if (signal.aborted && run.id !== undefined) await cancel(run.id)
      throw error
    }
  }

  async function* continuedEvents(
    first: Response,
    decide: Decide,
    signal: AbortSignal,
    run: { id: string | undefined },
  ): AsyncIterable<AgentEvent> {
    let response = first
    for (;;) {
      const asked: Asked[] = []
      let end: AgentEvent | undefined
      for await (const event of readEvents(response, signal)) {
        if (event.type === 'approval-request') asked.push(event)
        if (event.type === 'run-end') end = event
        else yield event
      }
      if (!end) throw new Error(connectionLost)
      if (end.type !== 'run-end' || end.finishReason !== 'approval' || asked.length === 0) {
        yield end
        return
      }
      run.id = end.runId
      response = await continued({ runId: end.runId, asked }, decide, signal)
    }
  }

  return {
    name: info.name ?? base,
    async *ask(question, decide, signal) {
      const headers = { accept: 'text/event-stream' }
      const post = (asked: Question): Promise<Response> => {
        return send('/api/v1/chat_stream', { method: 'POST', headers, body: formOf(asked, user), signal })
      }
      const response = await post(question)
        .catch((error: unknown) => {
          // A run that was stopped before its first event may have replaced it.
          const isReplaced = error instanceof ServerProblem && error.status === 404 && question.replaces !== undefined
          if (!isReplaced) throw error
          const { replaces: _, ...again } = question
          return post(again)
        })
        .catch(async (error: unknown) => {
          throw await failed(error)
        })
      yield* eventsOf(response, decide, signal)
    },
    async waiting(sessionId) {
      type Run = { run_id: string; approvals: WireApproval[] }
      const { runs } = await read<{ runs: Run[] }>(
        `/api/v1/runs?${query}&session_id=${encodeURIComponent(sessionId)}&status=waiting`,
      )
      return runs.map(({ run_id: runId, approvals }) => ({ runId, asked: approvals.map(askedOf) }))
    },
    async *decide(waiting, decide, signal) {
      yield* eventsOf(await continued(waiting, decide, signal), decide, signal, waiting.runId)
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

type WireApproval = Pick<Asked, 'name' | 'input' | 'kind'> & {
  approval_id: string
  path?: string[] | null
  started_at?: string | null
}

function askedOf({ approval_id: approvalId, path, started_at: startedAt, name, input, kind }: WireApproval): Asked {
  return { approvalId, name, input, kind, path: path ?? [], ...(startedAt && { startedAt }) }
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
