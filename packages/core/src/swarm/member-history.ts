import { cutMiddle, spokenText, summaryPrompt } from '../conversation/summary-prompt.ts'
import type { Message, UserMessage, UserPart } from '../data/message.ts'
import type { Inside } from '../loop/types.ts'
import { estimateText } from '../tokens/estimate-tokens.ts'
import { untilAborted } from '../util/abort.ts'
import { laneKey, readLane } from './lane.ts'

/**
 * What a member sees beside its task: nothing more (`"task"`), a summary of the conversation, all of it, what it has
 * been asked and has answered before itself (`"own"`), or the conversation's last messages.
 */
export type MemberHistory = 'task' | 'summary' | 'full' | 'own' | { last: number }

export type Shown = { history: readonly Message[]; input: UserMessage }

/** Tokens of a conversation that is summarised, and words of its summary. */
const summarised = { tokens: 24_000, words: 300 }

/**
 * What a member is shown.
 *
 * @param task what it is to do
 * @param lane its own
 * @param extra images and files that go with the task, where the message that they came with is not shown
 */
export async function showMember(
  option: MemberHistory,
  inside: Inside,
  task: string,
  lane: string,
  extra: readonly UserPart[] = [],
): Promise<Shown> {
  const { scope, store, turn, progress } = inside
  const input = withTask(extra, task)
  if (option === 'task') return { history: [], input }
  if (option === 'own') {
    const { userId, sessionId, signal } = scope
    const key = sessionId === undefined ? undefined : laneKey(lane, userId, sessionId)
    return { history: key ? await untilAborted(signal, readLane(store, key)) : [], input }
  }
  const earlier = spoken(turn.history)
  if (option === 'summary') {
    const parts = partsOf(spoken(progress.messages).at(0))
    const summary = await untilAborted(scope.signal, summaryOf(earlier, inside))
    const before = summary === '' ? '' : `What was said before, in short:\n${summary}\n\n`
    return { history: [], input: withTask(parts, `${before}Your task:\n${task}`) }
  }
  const all = [...earlier, ...spoken(progress.messages)]
  const shown = option === 'full' ? all : all.slice(-option.last)
  // Nobody answers before anybody has asked.
  const asked = shown.findIndex(({ role }) => role === 'user')
  const history = asked === -1 ? [] : shown.slice(asked)
  const last = history.at(-1)
  if (last?.role !== 'user') return { history, input }
  return { history: history.slice(0, -1), input: withTask(partsOf(last), `Your task:\n${task}`) }
}

function withTask(parts: readonly UserPart[], task: string): UserMessage {
  return { v: 1, role: 'user', content: parts.length === 0 ? task : [...parts, { type: 'text', text: task }] }
}

/** What the user and the agents have said to each other: calls and their results are of use to those who have the tools. */
function spoken(messages: readonly Message[]): Message[] {
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

/** Asked for once in a run, whoever needs it first, also where the run has waited meanwhile. */
async function summaryOf(messages: readonly Message[], inside: Inside): Promise<string> {
  const { progress } = inside
  if (progress.summary !== undefined) return progress.summary
  inside.summary ??= messages.length === 0 ? Promise.resolve('') : summarise(messages, inside)
  progress.summary = await inside.summary
  return progress.summary
}

async function summarise(messages: readonly Message[], { asker, summarise }: Inside): Promise<string> {
  const { contextWindow = Number.POSITIVE_INFINITY } = asker.model.info ?? {}
  const room = Math.min(summarised.tokens, Math.floor(contextWindow / 2))
  const transcript = cutMiddle(messages.map(spokenText).join('\n'), room)
  if (estimateText(transcript) <= summarised.words) return transcript
  return summarise(summaryPrompt('', transcript, summarised.words))
}
