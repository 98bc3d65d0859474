import { cutMiddle, labelledText, summaryPrompt } from '../conversation/summary-prompt.ts'
import type { Message, UserMessage, UserPart } from '../data/message.ts'
import type { Run } from '../loop/run/types.ts'
import { estimateText } from '../tokens/estimate-tokens.ts'
import { untilAborted } from '../util/async/abort.ts'
import { memberSessionKey, readMemberSession } from './member-sessions.ts'

/**
 * What a member sees besides its task: nothing (`"task"`), a summary of the conversation, all of it, its own earlier
 * tasks and answers (`"own"`), or the last messages of the conversation.
 */
export type MemberHistory = 'task' | 'summary' | 'full' | 'own' | { last: number }

export type Shown = { history: readonly Message[]; input: UserMessage }

/** Tokens of the summarized conversation, and words of its summary. */
const summaryLimits = { tokens: 24_000, words: 300 }

/**
 * The messages that a member receives.
 *
 * @param memberPath of the member
 * @param extra images and files for the task, when the message that has them is not shown
 */
export async function showMember(
  option: MemberHistory,
  run: Run,
  task: string,
  memberPath: string,
  extra: readonly UserPart[] = [],
): Promise<Shown> {
  const { scope, turn, state, members } = run
  const input = withTask(extra, task)
  if (option === 'task') return { history: [], input }
  if (option === 'own') {
    const { userId, sessionId, signal } = scope
    const key = sessionId === undefined ? undefined : memberSessionKey(memberPath, userId, sessionId)
    return { history: key ? await untilAborted(signal, readMemberSession(members.store, key)) : [], input }
  }
  const earlier = textMessages(turn.history)
  if (option === 'summary') {
    const parts = partsOf(textMessages(state.messages).at(0))
    const summary = await untilAborted(scope.signal, summaryOf(earlier, run))
    const before = summary === '' ? '' : `What was said before, in short:\n${summary}\n\n`
    return { history: [], input: withTask(parts, `${before}Your task:\n${task}`) }
  }
  const all = [...earlier, ...textMessages(state.messages)]
  const shown = option === 'full' ? all : all.slice(-option.last)
  // The history starts with a user's message.
  const first = shown.findIndex(({ role }) => role === 'user')
  const history = first === -1 ? [] : shown.slice(first)
  const last = history.at(-1)
  if (last?.role !== 'user') return { history, input }
  return { history: history.slice(0, -1), input: withTask(partsOf(last), `Your task:\n${task}`) }
}

function withTask(parts: readonly UserPart[], task: string): UserMessage {
  return { v: 1, role: 'user', content: parts.length === 0 ? task : [...parts, { type: 'text', text: task }] }
}

/** The text of the user and the agents. Calls and results are left out: the member may not have the tools. */
function textMessages(messages: readonly Message[]): Message[] {
  return messages.flatMap((message): Message[] => {
    if (message.role === 'user') return [message]
    if (message.role !== 'assistant') return []
    const content = message.content.filter((part) => part.type === 'text' && part.text.trim() !== '')
    return content.length > 0 ? [{ v: 1, role: 'assistant', content }] : []
  })
}

function partsOf(message: Message | undefined): UserPart[] {
  if (message?.role !== 'user') return []
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
}

/** The summary of the conversation, made once per run, also when the run was suspended in between. */
async function summaryOf(messages: readonly Message[], run: Run): Promise<string> {
  const { state, members } = run
  if (state.summary !== undefined) return state.summary
  members.summary ??= messages.length === 0 ? Promise.resolve('') : summaryFor(messages, run)
  state.summary = await members.summary
  return state.summary
}

async function summaryFor(messages: readonly Message[], { model, summarize }: Run): Promise<string> {
  const { contextWindow = Number.POSITIVE_INFINITY } = model.info ?? {}
  const room = Math.min(summaryLimits.tokens, Math.floor(contextWindow / 2))
  const transcript = cutMiddle(messages.map(labelledText).join('\n'), room)
  if (estimateText(transcript) <= summaryLimits.words) return transcript
  return summarize(summaryPrompt('', transcript, summaryLimits.words))
}
