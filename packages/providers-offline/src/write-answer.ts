import type { ToolSpec } from '@agentkit/core'
import { answerFromConversation, answerFromSystem, withFactsOnly } from './answer-from-conversation.ts'
import type { Conversation } from './conversation.ts'
import { foundNothing } from './describe-lookup.ts'
import { describeResults } from './describe-results.ts'
import type { FileTools } from './file-tools.ts'
import { introduction } from './introduction.ts'
import { asksForHelp, isGreeting, isSmallTalk, isStatement } from './message-kind.ts'
import type { MissingArguments, Plan } from './plan-calls.ts'

const realModel =
  'For a real model, set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or name one by model = "…" in agentkit_config.toml.'
const abilities = 'I match messages to tools and quote what they or given passages say'

/** What is said when nothing (more) is to be called. */
export function writeAnswer(
  conversation: Conversation,
  plan: Plan,
  tools: readonly ToolSpec[],
  { files, cuts }: { files: FileTools | undefined; cuts: readonly string[] },
): string {
  const answer = [
    ...(conversation.lastAnswer === undefined ? [introduction] : []),
    ...(cuts.length > 0 ? [sayCuts(cuts)] : []),
    ...conversation.unreadable.map((part) => `I cannot read ${part} in your message.`),
  ]
  const body = bodyOf(conversation, plan, tools, files)
  return [answer.join(' '), body].filter((part) => part !== '').join(body.startsWith('- ') ? '\n' : ' ')
}

function bodyOf(
  conversation: Conversation,
  plan: Plan,
  tools: readonly ToolSpec[],
  files: FileTools | undefined,
): string {
  const { results, question, text } = conversation
  const lacking = plan.missing.map(sayMissing)
  if (results.length > 0) {
    const told = describeResults(results, question, files)
    const [only = ''] = told
    if (told.length === 1 && foundNothing(only)) return answerFromSystem(conversation) ?? only
    return [...told, ...lacking].join(results.length > 1 ? '\n' : ' ')
  }
  if (lacking.length > 0) return lacking.join(' ')
  return (
    smallTalk(text, tools) ??
    answerFromConversation(files ? withFactsOnly(conversation) : conversation) ??
    answerFromSystem(conversation) ??
    statement(text) ??
    cannot(conversation, tools)
  )
}

/** What was too long to be read whole. */
export function sayCuts(cuts: readonly string[]): string {
  return `I read only ${cuts.join(', ')}.`
}

/** How a missing argument is asked for. `asksForArgument` knows an answer that did so by these words. */
function sayMissing({ tool, parameters }: MissingArguments): string {
  const names = parameters.map(({ path, description }) => {
    const name = `"${path.join('.')}"`
    return description === '' ? name : `${name} (${description.replace(/[.\s]+$/, '')})`
  })
  return `I would call ${tool}, but your message does not say ${names.join(' or ')}. Please tell me.`
}

/** Whether an answer asked for an argument that was missing. */
export function asksForArgument(answer: string): boolean {
  return /I would call \S+, but your message does not say /.test(answer)
}

function smallTalk(text: string, tools: readonly ToolSpec[]): string | undefined {
  if (!isSmallTalk(text)) return undefined
  if (asksForHelp(text)) return `${abilities}. ${sayTools(tools)} ${realModel}`
  if (isGreeting(text)) return `Hello! ${sayTools(tools)}`
  return 'You are welcome.'
}

function statement(text: string): string | undefined {
  return isStatement(text) ? 'I can quote that back later in this conversation.' : undefined
}

function cannot({ passages }: Conversation, tools: readonly ToolSpec[]): string {
  const reason =
    passages.length > 0
      ? 'No sentence of the given text answers that.'
      : 'I cannot answer that: none of my tools fits it.'
  return `${tools.length === 0 && passages.length === 0 ? 'I cannot answer that.' : reason} ${abilities}. ${sayTools(tools)} ${realModel}`
}

function sayTools(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return 'I have no tools here.'
  return `My tools: ${tools.map(({ name }) => name).join(', ')}.`
}
