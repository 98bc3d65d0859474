import type { AgentEvent } from '@agentkit/core'
import {
  type Answer,
  type Asked,
  type ChatAgent,
  type Decide,
  FailedRun,
  type Question,
  type Waiting,
} from './chat-agent.ts'
import { connectionLost, readEvents } from './read-events.ts'
import { ServerConnection, type ServerInfo } from './server-connection.ts'
import { ServerProblem, timeoutMs } from './server-problem.ts'

/**
 * The agent of an agentkit server.
 *
 * @param askToken asks the user for the token, where the server needs one and AGENTKIT_TOKEN has none
 * @throws UsageError when there is no agentkit server at the address
 */
export async function serverChatAgent(
  address: URL,
  userId: string,
  askToken: () => Promise<string>,
): Promise<ChatAgent> {
  const connection = new ServerConnection(address)
  const info = await connection.signIn(askToken)
  return new ServerChatAgent(connection, info, info.user_id ?? userId)
}

class ServerChatAgent implements ChatAgent {
  readonly name: string
  readonly speaker: string | undefined
  readonly #connection: ServerConnection
  readonly #user: string
  readonly #query: string

  constructor(connection: ServerConnection, { name, speaker }: ServerInfo, user: string) {
    this.name = name ?? connection.base
    this.speaker = speaker
    this.#connection = connection
    this.#user = user
    this.#query = `user_id=${encodeURIComponent(user)}`
  }

  async *ask(question: Question, decide: Decide, signal: AbortSignal): AsyncIterable<AgentEvent> {
    const response = await this.#post(question, signal)
      .catch((error: unknown) => {
        // A run that was stopped before its first event may have replaced it.
        const isReplaced = error instanceof ServerProblem && error.status === 404 && question.replaces !== undefined
        if (!isReplaced) throw error
        const { replaces: _, ...again } = question
        return this.#post(again, signal)
      })
      .catch(async (error: unknown) => {
        throw await this.#failed(error)
      })
    yield* this.#eventsOf({ response }, decide, signal)
  }

  async waiting(sessionId: string): Promise<Waiting[]> {
    type Run = { run_id: string; approvals: WireApproval[] }
    const { runs } = await this.#connection.read<{ runs: Run[] }>(
      `/api/v1/runs?${this.#query}&session_id=${encodeURIComponent(sessionId)}&status=waiting`,
    )
    return runs.map(({ run_id: runId, approvals }) => ({ runId, asked: approvals.map(askedOf) }))
  }

  async *decide(waiting: Waiting, decide: Decide, signal: AbortSignal): AsyncIterable<AgentEvent> {
    yield* this.#eventsOf(await this.#sendDecisions(waiting, decide, signal), decide, signal, waiting.runId)
  }

  async sessions(): Promise<{ sessionId: string; title: string; updatedAt: string }[]> {
    type Session = { session_id: string; title: string; updated_at: string }
    const { sessions } = await this.#connection.read<{ sessions: Session[] }>(
      `/api/v1/sessions?${this.#query}&limit=20`,
    )
    return sessions.map((one) => ({ sessionId: one.session_id, title: one.title, updatedAt: one.updated_at }))
  }

  async tools(): Promise<{ name: string; description: string }[]> {
    return (await this.#connection.read<ServerInfo>('/api/v1/info')).tools ?? []
  }

  async files(): Promise<string[]> {
    return (await this.#connection.read<{ files: string[] }>(`/api/v1/files/?${this.#query}`)).files
  }

  async close(): Promise<void> {}

  #post(question: Question, signal: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream' }
    const body = formOf(question, this.#user)
    return this.#connection.send('/api/v1/chat_stream', { method: 'POST', headers, body, signal })
  }

  /**
   * The events of a run, whose approvals are asked.
   * @param decided the run, where it was decided before
   */
  async *#eventsOf(first: Sent, decide: Decide, signal: AbortSignal, decided?: string): AsyncIterable<AgentEvent> {
    const run = { id: decided }
    try {
      yield* this.#continuedEvents(first, decide, signal, run)
    } catch (error) {
      if (signal.aborted && run.id !== undefined) await this.#cancel(run.id)
      throw error
    }
  }

  async *#continuedEvents(
    first: Sent,
    decide: Decide,
    signal: AbortSignal,
    run: { id: string | undefined },
  ): AsyncIterable<AgentEvent> {
    let { response, conflict } = first
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
        if (conflict) throw conflict
        return
      }
      run.id = end.runId
      const sent = await this.#sendDecisions({ runId: end.runId, asked }, decide, signal)
      response = sent.response
      conflict ??= sent.conflict
    }
  }

  /**
   * Asks for all decisions, then sends each, also where another one was made elsewhere.
   * @throws ServerProblem when the last one was made elsewhere: then no events of the run follow
   */
  async #sendDecisions({ runId, asked }: Waiting, decide: Decide, signal: AbortSignal): Promise<Sent> {
    const answers: Answer[] = []
    for (const one of asked) {
      answers.push(await decide(one))
      signal.throwIfAborted()
    }
    let last: Response | undefined
    let conflict: ServerProblem | undefined
    for (const [index, one] of asked.entries()) {
      await last?.body?.cancel()
      last = undefined
      const accept = index === asked.length - 1 ? 'text/event-stream' : 'application/json'
      const path = `/api/v1/runs/${encodeURIComponent(runId)}/approvals/${encodeURIComponent(one.approvalId)}`
      try {
        last = await this.#sendDecision(path, { asked: one, answer: answers[index], accept }, decide, signal)
      } catch (error) {
        if (!(error instanceof ServerProblem) || error.status !== 409) throw error
        conflict ??= error
      }
    }
    if (last) return { response: last, conflict }
    throw conflict ?? new Error('The run waits for nothing.')
  }

  /** Sends a decision; a result that does not fit the tool is asked again. */
  async #sendDecision(
    path: string,
    { asked, accept, ...given }: { asked: Asked; answer: Answer | undefined; accept: string },
    decide: Decide,
    signal: AbortSignal,
  ): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept }
    for (let { answer } = given; ; ) {
      try {
        const body = JSON.stringify({ user_id: this.#user, ...answer })
        return await this.#connection.send(path, { method: 'POST', headers, body, signal })
      } catch (error) {
        const isRefused = error instanceof ServerProblem && (error.status === 400 || error.status === 422)
        if (!isRefused || !answer || !('result' in answer)) throw error
        answer = await decide(asked, `The result was not taken, as it does not fit the tool (${error.message}).`)
        signal.throwIfAborted()
      }
    }
  }

  /** The failure of a question, with its run if the server has stored it. */
  async #failed(error: unknown): Promise<unknown> {
    if (!(error instanceof ServerProblem) || error.runId === undefined) return error
    const path = `/api/v1/runs/${encodeURIComponent(error.runId)}?${this.#query}`
    const isStored = await this.#connection.read(path).then(
      () => true,
      () => false,
    )
    return isStored ? new FailedRun(error.runId, error) : error
  }

  /** Leaving the events of a run that was decided does not stop it. */
  async #cancel(runId: string): Promise<void> {
    const path = `/api/v1/runs/${encodeURIComponent(runId)}/cancel?${this.#query}`
    // The user has stopped it, and sees no error of that.
    await this.#connection.send(path, { method: 'POST', signal: AbortSignal.timeout(timeoutMs) }).catch(() => {})
  }
}

/** The further events of a run. `conflict`: a decision that was made elsewhere before. */
type Sent = { response: Response; conflict?: ServerProblem | undefined }

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
