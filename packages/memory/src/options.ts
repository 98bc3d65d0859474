import { AgentKitError, type MemoryOptions } from '@agentkit/core'
import { checkOptions, type ForeignWords, isFlag, type OptionRules } from '@agentkit/core/internal'
import { limits } from './limits.ts'

const rules: OptionRules<MemoryOptions> = {
  recall: isFlag,
  notes: isFlag,
  days: {
    is: `a whole number of days, from 1 to ${limits.days}`,
    holds: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.days,
  },
}

const conversation = '`sessionId` of a run: agent.chat("…", { sessionId: "ada" })'
const summarized = 'not needed, as a conversation that is too long for its model is summarized,'

/** What Mastra, LangGraph and VoltAgent call these options. */
const foreignWords: ForeignWords = {
  workingMemory: 'notes',
  semanticRecall: 'recall',
  enableSemanticSearch: 'recall',
  lastMessages: summarized,
  limit: summarized,
  observationalMemory: summarized,
  thread: conversation,
  threadId: conversation,
  conversationId: conversation,
  resource: '`userId` of a run: agent.chat("…", { userId: "ada" })',
  storage: '`sessions` of the agent',
  adapter: '`sessions` of the agent',
}

/** @throws AgentKitError `invalid-argument` for an unknown or invalid option, with the fix */
export function checkMemoryOptions(options: MemoryOptions): void {
  checkOptions(options, rules, { of: 'memory', example: '{ days: 365 }', words: foreignWords })
  if (options.recall !== false || options.notes !== false) return
  const message = 'With `recall: false` and `notes: false` nothing is remembered. Leave `memory` out, or one of them.'
  throw new AgentKitError('invalid-argument', message)
}
