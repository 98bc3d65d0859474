import type { AssistantMessage, Message, ToolMessage } from '../../data/message.ts'
import { toolCalls } from '../../data/transcript.ts'
import { createLoopDetector, type LoopDetector } from '../../policies/loop-detection.ts'
import type { OpenedRun } from '../run/types.ts'
import { withoutNote } from './tool-attempt.ts'

/** The loop detector of an agent. Where its run continues, it has observed the steps before the one that is restored. */
export function guardOf({ agent, state, snapshot }: OpenedRun): LoopDetector {
  const guard = createLoopDetector(agent.guard)
  if (!snapshot) return guard
  const { stepsBefore = 0, plannedSteps = 0 } = snapshot
  // Other members may have had the conversation before.
  let others =
    state.messages.filter(({ role }) => role === 'assistant').length - (state.steps - stepsBefore + plannedSteps)
  let step: AssistantMessage | undefined
  let results: ToolMessage[] = []
  for (const message of state.messages) {
    if (others > 0) {
      if (message.role === 'assistant') others--
      continue
    }
    if (message.role === 'tool') results.push(message)
    if (message.role !== 'assistant') continue
    if (step) beginStep(guard, step, results, 0)
    step = message
    results = []
  }
  return guard
}

/** Begins a step, of which some results are stored already, with the number of its other calls. */
export function beginStep(
  guard: LoopDetector,
  step: AssistantMessage,
  stored: readonly ToolMessage[],
  others: number,
): void {
  guard.beginStep(stored.length + others)
  if (stored.length === 0) return
  const calls = toolCalls(step)
  for (const { callId, content, isError = false } of stored) {
    const { name = '', input, inputText } = calls.find((call) => call.callId === callId) ?? {}
    const written = inputText === undefined ? { input } : { input: undefined, inputText }
    guard.addResult({ name, ...written }, { content: withoutNote(content), isError })
  }
}

/** The results at the end of a run's messages, so far. */
export function resultsOf(messages: readonly Message[]): ToolMessage[] {
  return messages
    .slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1)
    .filter((message) => message.role === 'tool')
}
