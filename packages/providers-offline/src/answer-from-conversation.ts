import type { Conversation } from './conversation.ts'
import { describeResult, namesField } from './describe-result.ts'
import { isQuestion, isStatement } from './message-kind.ts'
import { bestSentences, sentencesOf } from './passages.ts'

/** What was said in the conversation that answers: an earlier result, the message's own passages, what the user told. */
export function answerFromConversation(conversation: Conversation): string | undefined {
  return remembered(conversation) ?? given(conversation) ?? told(conversation)
}

/** A quotation from the system's text. */
export function answerFromSystem({ text, question, system }: Conversation): string | undefined {
  const [known] = isQuestion(text) ? bestSentences(question, system, 0.6) : []
  return known && `"${known.sentence}"`
}

/** Where there are files, only a plain fact that the user told is an answer: earlier requests speak of the same things. */
export function withFactsOnly(conversation: Conversation): Conversation {
  const facts = conversation.earlier.flatMap((message) => sentencesOf(message).filter(isStatement))
  return { ...conversation, earlier: facts }
}

/** A field of an earlier result, when the question names one: "In which block is it?" */
function remembered({ earlierResults, question, passages }: Conversation): string | undefined {
  if (passages.length > 0 || !isQuestion(question)) return undefined
  const result = earlierResults.slice(0, 3).find((one) => namesField(one, question))
  return result && describeResult(result, question)
}

function given({ question, passages }: Conversation): string | undefined {
  const found = bestSentences(question, passages, 0.3)
  if (found.length > 0) return found.map(({ sentence }) => `"${sentence}"`).join(' ')
  if (passages.length === 0 || isQuestion(question)) return undefined
  // "Summarise this" asks for nothing in particular: the sentence that shares most with the others stands for them.
  const [first] = bestSentences(passages.join(' '), passages, 0)
  return first && `"${first.sentence}"`
}

function told({ question, text, earlier }: Conversation): string | undefined {
  if (!isQuestion(text)) return undefined
  const [found] = bestSentences(
    question,
    earlier.filter((message) => !isQuestion(message) || /[.!]\s|\n/.test(message)),
    0.6,
  )
  return found && `You told me: "${found.sentence}"`
}
