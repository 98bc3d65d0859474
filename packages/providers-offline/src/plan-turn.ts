import type { ModelRequest } from '@agentkit/core'
import { type Conversation, resultValue } from './conversation.ts'
import { namesItem } from './describe-result.ts'
import { splitTools } from './file-tools.ts'
import { isSmallTalk, isStatement } from './message-kind.ts'
import { type Plan, planCalls } from './plan-calls.ts'
import { planLookup } from './plan-lookup.ts'
import { wantsLookup } from './wants-lookup.ts'
import { asksForArgument } from './write-answer.ts'

/** What a turn asks of the tools. What no other tool is for is looked up in the agent's files, where it has some. */
export function planTurn(conversation: Conversation, request: ModelRequest, today: Date): Plan {
  const { files, others } = splitTools(request.tools ?? [])
  const { toolChoice = 'auto' } = request
  if (!files || typeof toolChoice === 'object' || toolChoice === 'none') {
    return planForTools(conversation, request, today)
  }
  const results = conversation.results.filter(({ call }) => others.some(({ name }) => name === call.name))
  const plan = planForTools({ ...conversation, results }, { ...request, tools: others, toolChoice: 'auto' }, today)
  if (plan.calls.length > 0) return plan
  const calls = plan.missing.length === 0 && wantsLookup(conversation) ? planLookup(conversation, files) : []
  if (calls.length > 0) return { calls, missing: [] }
  return toolChoice === 'required' ? planForTools(conversation, request, today) : plan
}

function planForTools(conversation: Conversation, request: ModelRequest, today: Date): Plan {
  const { question, earlier, earlierCalls, results, lastAnswer } = conversation
  const toolChoice = request.toolChoice ?? 'auto'
  const isTalk = toolChoice === 'auto' && (isSmallTalk(question) || isStatement(question))
  const isTold =
    toolChoice === 'auto' && conversation.earlierResults.slice(0, 1).some((one) => namesItem(one, question))
  if (isTalk || isTold || !request.tools) return { calls: [], missing: [] }
  const values = results.flatMap(({ message }) => {
    const value = message.isError ? undefined : resultValue(message)
    return value === undefined ? [] : [value]
  })
  const background = { earlier, earlierCalls, results: values, today }
  const asked = planCalls(question, request.tools, toolChoice, background)
  // Passages do not say what is wanted, but they may be what a tool wants.
  const wantsPassage = conversation.passages.length > 0 && asked.missing.length > 0
  const plan = wantsPassage ? planCalls(conversation.text, request.tools, toolChoice, background) : asked
  const [before] = earlier
  const answersUs = lastAnswer !== undefined && before !== undefined && asksForArgument(lastAnswer)
  if (!answersUs) return plan
  // "Which city?" – "Paris.": the answer belongs to what was asked before.
  const together = planCalls(`${before}\n${conversation.text}`, request.tools, toolChoice, background)
  const alone = planCalls(before, request.tools, toolChoice, background)
  const completed = together.calls.filter(({ name }) => alone.missing.some(({ tool }) => tool === name))
  if (completed.length > 0) return { calls: completed, missing: [] }
  const says = plan.calls.length === 0 && plan.missing.length === 0 && countMissing(together) < countMissing(alone)
  return says ? together : plan
}

function countMissing({ missing }: Plan): number {
  return missing.reduce((sum, { parameters }) => sum + parameters.length, 0)
}
