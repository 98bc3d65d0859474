import type { ToolSpec } from '@agentkit/core'
import type { Conversation } from './conversation.ts'
import { describeResult, namesField } from './describe-result.ts'
import { asksForHelp, isGreeting, isQuestion, isSmallTalk, isStatement } from './message-kind.ts'
import { bestSentences } from './passages.ts'
import type { MissingArguments, Plan } from './plan-calls.ts'

const introduction = 'I am the offline stand-in, not a language model.'
const realModel =
  'For a real model, set LLMPROVIDER_API_KEY or OPENAI_API_KEY, or name one by model = "…" in agentkit_config.toml.'
const abilities = 'I match messages to tools and quote what they or given passages say'

/** What is said when nothing (more) is to be called. */
export function writeAnswer(conversation: Conversation, plan: Plan, tools: readonly ToolSpec[]): string {
  const answer = [
    ...(conversation.lastAnswer === undefined ? [introduction] : []),
    ...conversation.unreadable.map((part) => `I cannot read ${part} in your message.`),
  ]
  const body = bodyOf(conversation, plan, tools)
  return [answer.join(' '), body].filter((part) => part !== '').join(body.startsWith('- ') ? '\n' : ' ')
}

function bodyOf(conversation: Conversation, plan: Plan, tools: readonly ToolSpec[]): string {
  const { results, question, text } = conversation
  const lacking = plan.missing.map(sayMissing)
  if (results.length > 0) {
    return [...results.map((result) => describeResult(result, question)), ...lacking].join(
      results.length > 1 ? '\n' : ' ',
    )
  }
  if (lacking.length > 0) return lacking.join(' ')
  return (
    smallTalk(text, tools) ??
    remembered(conversation) ??
    quoted(conversation) ??
    statement(text) ??
    cannot(conversation, tools)
  )
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

/** A field of an earlier result, when the question names one: "In which block is it?" */
function remembered({ earlierResults, question, passages }: Conversation): string | undefined {
  if (passages.length > 0 || !isQuestion(question)) return undefined
  const result = earlierResults.slice(0, 3).find((one) => namesField(one, question))
  return result && describeResult(result, question)
}

/** A quotation from the passages of the message, from what the user said before, or from the system's text. */
function quoted({ question, passages, earlier, system, text }: Conversation): string | undefined {
  const given = bestSentences(question, passages, 0.3)
  if (given.length > 0) return given.map(({ sentence }) => `"${sentence}"`).join(' ')
  // "Summarise this" asks for nothing in particular: the sentence that shares most with the others stands for them.
  if (passages.length > 0 && !isQuestion(question)) {
    const [first] = bestSentences(passages.join(' '), passages, 0)
    if (first) return `"${first.sentence}"`
  }
  if (!isQuestion(text)) return undefined
  const [told] = bestSentences(
    question,
    earlier.filter((message) => !isQuestion(message) || /[.!]\s|\n/.test(message)),
    0.6,
  )
  if (told) return `You told me: "${told.sentence}"`
  const [known] = bestSentences(question, system, 0.6)
  return known && `"${known.sentence}"`
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
