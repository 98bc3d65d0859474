import { existsSync } from 'node:fs'
import { type AgentEvent, isAgentKitError, terminalLine, terminalText } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'
import { openProgress, type Progress } from '../common/progress.ts'
import { takeStdout } from '../common/stdout.ts'
import { UsageError } from '../common/usage-error.ts'
import { attachFiles } from './attach-files.ts'
import { type ChatAgent, type Decide, FailedRun, type Question, type Waiting } from './chat-agent.ts'
import { type ChatState, newSession, newState } from './chat-state.ts'
import { commands, isCommand, runCommand } from './commands.ts'
import { decide } from './decide.ts'
import { localChatAgent } from './local-chat-agent.ts'
import { openPrompt, type Prompt } from './prompt.ts'
import { serverChatAgent } from './server-chat-agent.ts'
import { createView, painted } from './view.ts'

export type ChatFlags = { agent?: string; user: string; session?: string }

/**
 * Talks with the agent of a file or of a server, until the user leaves.
 * @returns the exit code: 1 where a question of a pipe had no answer, as no person has seen that
 * @throws UsageError for a file without an agent, and an address without an agentkit server
 */
export async function chat(place: string | undefined, { agent: agentId, user, session }: ChatFlags): Promise<number> {
  const output = takeStdout()
  const prompt = openPrompt({ write: output.write, commands: Object.keys(commands) })
  try {
    const agent = await chatAgentAt(place, agentId, user, prompt)
    try {
      const { hasFailed } = await talk({ agent, prompt, write: output.write }, session ?? newSession())
      return hasFailed && !process.stdin.isTTY ? 1 : 0
    } finally {
      await agent.close()
    }
  } finally {
    prompt.close()
  }
}

function chatAgentAt(
  place: string | undefined,
  agentId: string | undefined,
  user: string,
  prompt: Prompt,
): Promise<ChatAgent> {
  const address = place !== undefined && /^https?:\/\//.test(place) ? URL.parse(place) : undefined
  if (address === undefined) {
    checkScheme(place)
    return localChatAgent(place, agentId, user)
  }
  if (address === null) throw new UsageError(`"${place}" is not an address. Pass one such as http://127.0.0.1:8000.`)
  if (address.username !== '' || address.password !== '' || address.search !== '') {
    throw new UsageError('The address takes no password and no token: set AGENTKIT_TOKEN.')
  }
  if (agentId !== undefined) throw new UsageError('--agent is for a file: a server has one agent.')
  return serverChatAgent(address, user, async () => {
    const token = process.stdin.isTTY ? await prompt.question('Token: ', { isSecret: true }) : undefined
    if (token === undefined) throw new UsageError('The server needs a token: set AGENTKIT_TOKEN.')
    return token
  })
}

/** @throws UsageError for the address of a server without `http://`, or with another scheme; it may hold a password */
function checkScheme(place = ''): void {
  const [, scheme, rest = ''] = /^(\w+:\/\/)?(.*)$/s.exec(place) ?? []
  if ((scheme === undefined && !/^[^/]+:\d+(\/|$)/.test(rest)) || existsSync(place)) return
  const address = URL.parse(`http://${rest}`)
  if (address === null) return
  const { host, origin, pathname } = address
  const meant = pathname === '/' ? origin : `${origin}${pathname}`
  throw new UsageError(
    `"${host}" is not a file, and an address begins with http:// or https://. Did you mean "${meant}"?`,
  )
}

type RunEnd = Extract<AgentEvent, { type: 'run-end' }>
type Parts = { agent: ChatAgent; prompt: Prompt; write(text: string): Promise<void> }

async function talk({ agent, prompt, write }: Parts, sessionId: string): Promise<ChatState> {
  const state = newState(sessionId)
  const say = (text: string): Promise<void> => write(`${terminalText(text)}\n`)
  if (process.stdin.isTTY) await say(`${agent.name}. /help lists the commands, Ctrl-D leaves.`)
  for (;;) {
    const line = (await prompt.line('› '))?.trim()
    if (line === undefined) {
      if (process.stdin.isTTY) await write('\n')
      return state
    }
    if (line === '') continue
    try {
      if (isCommand(line)) {
        const [word = '', argument = ''] = line.split(/\s+/)
        if (word === '/exit') return state
        if (word === '/waiting') await decideWaiting({ agent, prompt, write }, state)
        else if (word === '/retry') await retry({ agent, prompt, write }, state)
        else await runCommand(word, argument, { agent, state, say })
      } else {
        const question = { text: line, files: attachFiles(line), sessionId: state.sessionId }
        await ask({ agent, prompt, write }, state, question)
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      state.hasFailed ||= !isCommand(line)
      const message = redactSecrets(error.message)
      const text = isAgentKitError(error) ? `${error.code}: ${message}` : message
      await write(`${painted('red', terminalLine(text))}\n`)
    }
  }
}

async function retry(parts: Parts, state: ChatState): Promise<void> {
  if (!state.last) throw new Error('There is no answer yet that could be replaced.')
  // A question without a stored run replaces the same run that it was to replace before.
  const { question, runId = question.replaces } = state.last
  await ask(parts, state, { ...question, ...(runId !== undefined && { replaces: runId }) })
}

/** Decides on the runs of the conversation that wait, such as one whose process has ended. */
async function decideWaiting(parts: Parts, state: ChatState): Promise<void> {
  const runs = await parts.agent.waiting(state.sessionId)
  if (runs.length === 0) throw new Error('Nothing waits in this conversation.')
  for (const waiting of runs) await ask(parts, state, waiting)
}

/** Asks a question or decides on a run that waits, and shows the answer as it comes. Ctrl-C stops it. */
async function ask({ agent, prompt, write }: Parts, state: ChatState, what: Question | Waiting): Promise<void> {
  const stop = new AbortController()
  const working = `${agent.name} is working`
  let progress: Progress | undefined = openProgress(working)
  const show = (text: string): Promise<void> => {
    progress?.close()
    progress = undefined
    return write(text)
  }
  const view = createView(show, agent.speaker)
  /** Shows progress only after a whole line, because the progress would remove the text of an unfinished line. */
  const showWorking = (): void => {
    if (view.isAtLineStart()) progress ??= openProgress(working)
  }
  const startedAt = performance.now()
  const { signal } = stop
  const deciding: Decide = async (asked, problem) => {
    const answer = await decide(asked, { prompt, write: show }, signal, problem)
    showWorking()
    // A user who leaves has decided nothing. A run that was stopped reads no answer.
    if (answer || signal.aborted) return answer ?? { approve: false }
    const next = `continue this conversation by --session ${state.sessionId}, then type /waiting`
    throw new Error(`${asked.name} waits for a decision: ${next}.`)
  }
  const last: ChatState['last'] = 'asked' in what ? undefined : { question: what }
  if (last) state.last = last
  const events = 'asked' in what ? agent.decide(what, deciding, signal) : agent.ask(what, deciding, signal)
  const answering = (async () => {
    for await (const event of events) {
      // A run that fails before its first step is not part of the conversation.
      if (last && event.type === 'step-start') last.runId = event.runId
      if (event.type !== 'run-end') {
        await view.show(event)
        showWorking()
        continue
      }
      const { usage, cost } = event
      const { used } = state
      used.answers++
      used.inputTokens += usage.inputTokens ?? 0
      used.outputTokens += usage.outputTokens ?? 0
      used.usd += cost?.usd ?? 0
      used.isUnpriced ||= !cost && Boolean(usage.inputTokens || usage.outputTokens || usage.totalTokens)
      state.hasFailed ||= !isAnswer(event)
      await view.end(event, startedAt)
    }
  })()
  try {
    await prompt.during(answering, () => stop.abort())
  } catch (error) {
    state.hasFailed = true
    if (last && error instanceof FailedRun) last.runId = error.runId
    if (!stop.signal.aborted) {
      if (!view.isAtLineStart()) await show('\n')
      throw error
    }
    await show(`\n${painted('dim', 'stopped')}\n`)
  } finally {
    progress?.close()
  }
}

/** Whether `chat()` of an agent would return: it throws otherwise. */
function isAnswer({ finishReason, text }: RunEnd): boolean {
  if (['budget', 'max-steps', 'no-progress'].includes(finishReason)) return text !== ''
  return ['stop', 'length', 'content-filter'].includes(finishReason)
}
