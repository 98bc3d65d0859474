import type { AgentEvent, InputPart } from '@agentkit/core'
import { chosenAgent, loadAgents } from '../common/load-agents.ts'
import type { Partner, SentFile } from './partner.ts'

/**
 * The agent of a file.
 * @throws UsageError for a file that is missing or has no agent
 */
export async function localPartner(file: string | undefined, id: string | undefined, userId: string): Promise<Partner> {
  const loaded = await loadAgents(file, { standIn: true })
  try {
    const agent = chosenAgent(loaded, id)
    const { sessions, knowledge, tools } = agent
    return {
      name: agent.name,
      async *ask({ text, files, sessionId, replaces }, decide, signal): AsyncIterable<AgentEvent> {
        const options = { userId, sessionId, signal, ...(replaces !== undefined && { replaces }) }
        const run = agent.stream(inputOf(text, files), options)
        for await (const event of run) {
          yield event
          if (event.type !== 'approval-request') continue
          const { approve, reason } = await decide(event)
          // A run that has been stopped meanwhile has no approvals.
          if (signal.aborted) continue
          if (approve) run.approve(event.approvalId)
          else run.deny(event.approvalId, reason)
        }
      },
      sessions: () => sessions.list({ agentId: agent.id, userId }, { limit: 20 }),
      tools: async () => [...(tools ?? [])],
      files: async () => (await knowledge?.files?.()) ?? [],
      close: loaded.close,
    }
  } catch (error) {
    await loaded.close()
    throw error
  }
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
