import {
  type AgentEvent,
  type AgentRun,
  type Approval,
  type Decision,
  type InputPart,
  isAgentKitError,
  type Runnable,
} from '@agentkit/core'
import { knowledgeOf, userFolder } from '@agentkit/core/internal'
import { hasUserFiles } from '../../agents/user-files.ts'
import { chosenAgent, loadAgents } from '../common/load-agents.ts'
import type { Answer, Asked, ChatAgent, Decide, SentFile } from './chat-agent.ts'

/**
 * The agent of a file.
 * @throws UsageError for a file that is missing or has no agent
 */
export async function localChatAgent(
  file: string | undefined,
  id: string | undefined,
  userId: string,
): Promise<ChatAgent> {
  const loaded = await loadAgents(file, { standIn: true, ids: [id] })
  try {
    const agent = chosenAgent(loaded, id)
    const { sessions } = agent
    const { speaker }: Runnable = agent
    return {
      name: agent.name,
      speaker,
      async *ask({ text, files, sessionId, replaces }, decide, signal) {
        const options = { userId, sessionId, ...(replaces !== undefined && { replaces }) }
        yield* eventsOf(agent.stream(inputOf(text, files), options), decide, signal)
      },
      async waiting(sessionId) {
        const runs = sessions.runs ? await agent.runs({ userId, sessionId, status: 'waiting' }) : []
        return runs.map(({ runId, approvals }) => ({ runId, asked: approvals.map(askedOf) }))
      },
      async *decide({ runId, asked }, decide, signal) {
        const decisions: Record<string, Decision> = {}
        for (const one of asked) {
          const answer = await decide(one)
          signal.throwIfAborted()
          decisions[one.approvalId] = decisionOf(answer)
        }
        yield* eventsOf(agent.resume(runId, decisions, { userId }), decide, signal)
      },
      sessions: () => sessions.list({ agentId: agent.id, userId }, { limit: 20 }),
      tools: async () => [...(agent.tools ?? [])],
      files: async () => {
        const lists = await Promise.all(knowledgeOf(agent).map(async (knowledge) => knowledge.files()))
        const files = [...new Set(lists.flat())].sort()
        if (!hasUserFiles(agent)) return files
        const folder = `${userFolder(userId)}/`
        return files.flatMap((file) => (file.startsWith(folder) ? file.slice(folder.length) : []))
      },
      close: loaded.close,
    }
  } catch (error) {
    await loaded.close()
    throw error
  }
}

/** The events of a run, whose approvals are asked. The signal cancels it, also while it waits for a decision. */
async function* eventsOf(run: AgentRun, decide: Decide, signal: AbortSignal): AsyncIterable<AgentEvent> {
  const cancel = (): void => run.cancel()
  signal.addEventListener('abort', cancel)
  if (signal.aborted) cancel()
  try {
    for await (const event of run) {
      yield event
      if (event.type === 'approval-request') await settle(run, askedOf(event), decide, signal)
    }
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Asks for a decision until the run accepts it. */
async function settle(run: AgentRun, asked: Asked, decide: Decide, signal: AbortSignal): Promise<void> {
  const { approvalId } = asked
  for (let problem: string | undefined; ; ) {
    const answer = await decide(asked, problem)
    // A run that was stopped while the user decided has no approvals.
    if (signal.aborted) return
    if (!('result' in answer)) return answer.approve ? run.approve(approvalId) : run.deny(approvalId, answer.reason)
    try {
      return await run.answer(approvalId, answer.result)
    } catch (error) {
      if (!isAgentKitError(error) || error.code !== 'invalid-argument') throw error
      problem = error.message
    }
  }
}

function askedOf({ path = [], ...approval }: Omit<Approval, 'callId'>): Asked {
  return { ...approval, path }
}

function decisionOf(answer: Answer): Decision {
  if ('result' in answer) return answer
  return answer.approve || { deny: answer.reason ?? '' }
}

/** Texts are part of the message; models take images and PDFs as they are. */
function inputOf(text: string, files: readonly SentFile[]): string | InputPart[] {
  if (files.length === 0) return text
  return [{ type: 'text', text }, ...files.map(partOf)]
}

function partOf({ name, mediaType, bytes }: SentFile): InputPart {
  if (mediaType.startsWith('image/')) return { type: 'image', data: bytes, mediaType }
  if (mediaType === 'application/pdf') return { type: 'file', data: bytes, mediaType, name }
  return { type: 'text', text: `The file ${name}:\n${new TextDecoder().decode(bytes)}` }
}
