import type { ToolCall } from '../contracts/model.ts'
import { invalidConfig } from '../data/errors.ts'
import type { AssistantMessage } from '../data/message.ts'
import { toolCalls, unansweredCalls } from '../data/transcript.ts'
import { emptyReply, type Reply, textOf } from '../runs/reply.ts'
import { finalToolName, readOutput } from '../schema/structured-output.ts'
import { readOnName } from '../tools/read-on-name.ts'
import { offerReadTool } from './model-step.ts'
import type { Run, StepOutcome } from './run/types.ts'

/**
 * The step at which a stored run was suspended, or at which its process died: its calls without a result, or its answer.
 * @returns `undefined` when the next step has not replied yet
 */
export async function restoredStep(run: Run): Promise<Extract<StepOutcome, { reply: Reply }> | undefined> {
  const { snapshot, state, scope } = run
  const message = state.messages.findLast(({ role }) => role === 'assistant')
  if (!snapshot || message?.role !== 'assistant') return undefined
  // Whichever model has called it: no other tool has this name.
  if (run.format) run.finalTool = finalToolName(run.toolBox.specs)
  const { reason, usage, planned, hidden } = snapshot
  const calls = unansweredCalls(state.messages).map((call) => withProblem(call, message))
  const reply: Reply = {
    ...emptyReply(),
    text: textOf(message),
    calls,
    reason,
    usage,
    message,
    ...(planned ? { planned } : {}),
    ...(hidden ? { hidden } : {}),
  }
  state.reply = reply
  // Requests offer the tool, and this run has made none yet.
  if (calls.some(({ name }) => name === readOnName)) await offerReadTool(run)
  // With calls that have no result, the model had answered.
  if (scope.interrupted && calls.length > 0) scope.interrupted.isModelCallLost = false
  if (!scope.requested || toolCalls(message).length > 0) return { type: 'tool-calls', reply }
  await restoreOutput(run, reply)
  return { type: 'answer', reply }
}

/** A call whose arguments could not be parsed is stored with their text. */
function withProblem(call: ToolCall, message: AssistantMessage): ToolCall {
  const { inputText } = toolCalls(message).find(({ callId }) => callId === call.callId) ?? {}
  return inputText === undefined ? call : { ...call, inputText, invalid: 'they could not be parsed' }
}

/** The stored answer was checked before, so it has the form of the agent's `output`. */
async function restoreOutput({ format, agent, state, scope }: Run, reply: Reply): Promise<void> {
  if (!format || (reply.reason !== 'stop' && reply.reason !== 'tool-calls')) return
  const read = await readOutput({ text: reply.text, calls: [] }, format, scope.signal)
  if (read.kind !== 'output') {
    throw invalidConfig(
      `The stored answer of "${agent.name}" does not have the form of its \`output\`, which was changed.`,
    )
  }
  state.output = read.value
}
