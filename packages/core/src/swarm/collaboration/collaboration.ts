import type { AgentSpec } from '../../loop/open-run.ts'
import type { Progress } from '../../runs/progress.ts'
import type { Tool } from '../../tools/tool.ts'
import type { MemberHistory } from '../member-history.ts'

/** What a kind of collaboration adds to the agent that a swarm is. */
export type Collaborate = (members: readonly AgentSpec[], history: MemberHistory | undefined) => Collaborated

export type Collaborated = {
  /** The tools that call members. */
  tools: Tool[]
  spec: Partial<Pick<AgentSpec, 'plan' | 'handoffs' | 'maxSteps'>>
}

/** The words of the message that a run answers. Not of its scope: a run that goes on finds it among its messages. */
export function textOfInput({ messages }: Pick<Progress, 'messages'>): string {
  const [question] = messages
  if (question?.role !== 'user') return ''
  const { content } = question
  const text = typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : ''))
  return [text].flat().filter(Boolean).join('\n') || 'Look at what is attached.'
}
