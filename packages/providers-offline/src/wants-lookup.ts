import { answerFromConversation, withFactsOnly } from './answer-from-conversation.ts'
import type { Conversation } from './conversation.ts'
import { asksForHelp, forbids, isSmallTalk, isStatement } from './message-kind.ts'
import { contentStems, stemsOf } from './tokens.ts'

const aboutAssistant =
  /^\s*(?:how are you|who are you|are you|were you|did you|you (?:are|were)|you['’]re|what(?:['’]s| is) your name)(?!\p{L})/iu
const seeking =
  /\b(?:looking for|searching for|wonder(?:ing)?|need to know|want to know|curious|interested in|question about)\b/i
const helpWords = new Set(stemsOf('help tool function ability capability command list show use available'))

/** Whether a message that no tool is for asks something that the conversation does not answer. */
export function wantsLookup(conversation: Conversation): boolean {
  const { question } = conversation
  if (aboutAssistant.test(question) || forbids(question)) return false
  if (isSmallTalk(question) && !asksOfACommand(question)) return false
  if (isStatement(question) && !seeking.test(question)) return false
  return answerFromConversation(withFactsOnly(conversation)) === undefined
}

/** "Which commands does the CLI have?" only looks like a call for help. */
function asksOfACommand(text: string): boolean {
  if (!asksForHelp(text) || /\b(?:you|your|help)\b|\bwhat does\b/i.test(text)) return false
  return contentStems(text).some((stem) => !helpWords.has(stem))
}
