import { contentStems } from './tokens.ts'

const greeting = /^\s*(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))\b/i
const thanks =
  /^\s*(?:thanks|thank you|thx|cheers|great|perfect|awesome|nice|cool|wow|bye|goodbye|see you|ok|okay|yes|no|sure)\b/i
const help =
  /^\s*(?:please\s+)?help(?:\s+me)?\s*[.!?]*$|\bwhat (?:else )?(?:can|could|do) you do\b|\b(?:what|which|list|show)\b[^.?!]*\b(?:tools|functions|abilities|capabilities|commands)\b|\bwhat does\b[^.?!]*\b(?:tool|function)\b|\bhow can you help\b|\bwho are you\b|\bwhat are you\b/i
const fact =
  /^\s*(?:my [\p{L}\p{N}' -]+ (?:is|are)|i am|i['’]m|i (?:live|work|like|love|have|had|hate|prefer|think|feel|bought|ate|went|saw|was)|call me|(?:this|that|these|those|it)(?: \p{L}+)? (?:is|are|was|were)|(?:please )?(?:remember|note) that|we (?:are|have|had|were))\s/iu
const aboutAssistant =
  /^\s*(?:(?:what|who|how|where|when|why)(?:['’]s| is| are| was| were)? your?|(?:are|were|did) you|do you (?!know|have)|you (?:are|were)|you['’]re)(?![\p{L}])/iu
const refusal = /^\s*(?:please\s+)?(?:do not|don['’]t|never|stop|cancel that|no,)(?![\p{L}])/iu
const question =
  /\?|^\s*(?:what|who|whom|whose|where|when|which|why|how|is|are|was|were|do|does|did|can|tell me|remind me)\b/i
const lookUp =
  /^\s*(?:(?:please|can you|could you|i want to|i['’]d like to|let me)\s+)*(?:show|list|find|get|give|look|see|search|browse|fetch|any)\b/i

/** Greetings, thanks and questions about what it can do: none of them calls a tool. */
export function isSmallTalk(text: string): boolean {
  const telling = contentStems(text.replace(greeting, '').replace(thanks, '')).length
  return asksForHelp(text) || ((isGreeting(text) || thanks.test(text)) && telling <= 1)
}

export function isGreeting(text: string): boolean {
  return greeting.test(text)
}

export function asksForHelp(text: string): boolean {
  return help.test(text)
}

/** A fact that the user tells: nothing is asked, so nothing is called. */
export function isStatement(text: string): boolean {
  return fact.test(text) && !/\?/.test(text) && !/[.!;]\s+\S/.test(text.trim())
}

/** "Do not send it", and questions about the assistant itself: nothing is called. */
export function isRefusal(text: string): boolean {
  return aboutAssistant.test(text) || forbids(text)
}

/** "Do not send it." */
export function forbids(text: string): boolean {
  return refusal.test(text)
}

export function isQuestion(text: string): boolean {
  return question.test(text)
}

/** A message that wants to know or see something, rather than to have something done. */
export function wantsToKnow(text: string): boolean {
  return isQuestion(text) || lookUp.test(text)
}
