import { AgentKitError, invalidConfig } from '../../data/errors.ts'
import type { AssistantMessage, Message, ToolMessage } from '../../data/message.ts'
import { toolCalls } from '../../data/transcript.ts'
import { applyHook } from '../../policies/hooks.ts'
import { type Reply, replaceMessage } from '../../runs/reply.ts'
import { asTextAnswer, type OutputFormat, readOutput, repairNote } from '../../schema/structured-output.ts'
import type { Run } from '../run/types.ts'

export type CheckedReply = {
  /** Whether a hook or the form of the answer has changed the reply. */
  changed: boolean
  /** The reply is no answer: messages for the model's next request only. */
  again?: Message[]
}

/**
 * Applies the hooks and the agent's `output` to a reply, which it changes in place.
 *
 * @throws Blocked when a hook blocks the reply
 * @throws AgentKitError `provider-error` when the answer does not have the form of `output` for the second time
 */
export async function checkReply(run: Run, reply: Reply): Promise<CheckedReply> {
  const { message } = reply
  const isEmpty = reply.text.trim() === '' && reply.calls.length === 0
  // The calls of a filtered answer are not executed, so the history must not have them.
  if (reply.reason === 'content-filter') replaceMessage(reply, withoutCalls(message))
  const { afterModel, output } = run.agent.hooks
  if (afterModel) {
    const hooked = await applyHook('afterModel', afterModel, reply.message, run.hookContext)
    replaceMessage(reply, hooked.value)
  }
  if (reply.calls.every(({ name }) => name === run.finalTool)) {
    const answer = run.format ? await readForm(run, reply, run.format) : readText(run, reply, isEmpty)
    if (answer.again) return { changed: reply.message !== message, again: answer.again }
    if (output) await applyOutputHook(run, reply, answer)
    run.state.output = answer.output
  }
  return { changed: reply.message !== message }
}

/**
 * Applies the output hook and the agent's `output` to the answer of a plan, which cannot be repeated.
 * @throws AgentKitError `invalid-config` when it does not have the form of `output`
 */
export async function checkPlanned(run: Run, reply: Reply, output: unknown): Promise<void> {
  const { agent, format, state } = run
  const answer: Answer = format ? await readPlanned(run, reply, format) : { output }
  if (agent.hooks.output) await applyOutputHook(run, reply, answer)
  state.output = answer.output
}

async function readPlanned({ agent, scope }: Run, reply: Reply, format: OutputFormat): Promise<Answer> {
  const read = await readOutput(reply, format, scope.signal)
  if (read.kind === 'output') return { output: read.value }
  const why = read.kind === 'problems' ? ` ${read.problems}` : ''
  const message = `The last answer in "${agent.name}" does not have the form of its \`output\`.${why}`
  throw invalidConfig(`${message} Give the agent that answers last the same \`output\`.`)
}

type Answer = { output?: unknown; again?: Message[] }

/** @param isEmpty whether the model's own reply was empty; a reply that a hook has emptied is not repeated */
function readText({ guard, agent }: Run, { reason }: Reply, isEmpty: boolean): Answer {
  if (!isComplete(reason)) return {}
  if (!isEmpty) {
    guard.resetEmptyAnswers()
    return {}
  }
  if (agent.guard === false) return {}
  const note = guard.addEmptyAnswer()
  return { again: note === undefined ? [] : [{ v: 1, role: 'user', content: note }] }
}

async function readForm(run: Run, reply: Reply, format: OutputFormat): Promise<Answer> {
  const { finalTool, state, scope } = run
  const isCall = reply.calls.length > 0
  if (!isCall && !isComplete(reply.reason)) return {}
  const read = await readOutput(reply, format, scope.signal, finalTool)
  if (read.kind === 'tools') return {}
  if (read.kind === 'problems') {
    state.invalidOutputs++
    if (state.invalidOutputs > 1) throw invalidOutput(run, read.problems)
    return { again: repairMessages(reply.message, repairNote(read.problems, format, finalTool)) }
  }
  // Text that was emitted already stays as it is.
  if (isCall) replaceMessage(reply, asTextAnswer(reply.message, read.text))
  reply.reason = 'stop'
  return { output: read.value }
}

function isComplete(reason: Reply['reason']): boolean {
  return reason === 'stop' || reason === 'tool-calls'
}

/** The refused answer with the reason: as the result of its calls, if it has calls. */
function repairMessages(message: AssistantMessage, note: string): Message[] {
  const calls = toolCalls(message)
  if (calls.length === 0)
    return [...(message.content.length > 0 ? [message] : []), { v: 1, role: 'user', content: note }]
  const results = calls.map(({ callId, name }): ToolMessage => {
    return { v: 1, role: 'tool', callId, name, content: note, isError: true }
  })
  return [message, ...results]
}

function invalidOutput({ model }: Run, problems: string): AgentKitError {
  const message = `The answer of "${model.id}" does not have the form of \`output\`, also when asked again. ${problems}`
  return new AgentKitError('provider-error', `${message} Simplify the schema, or use another model.`)
}

/** The output hook receives the text that the user would. */
async function applyOutputHook(run: Run, reply: Reply, answer: Answer): Promise<void> {
  const { agent, hookContext, format, scope } = run
  const { value, changed } = await applyHook('output', agent.hooks.output, { text: reply.text }, hookContext)
  if (!changed) return
  replaceMessage(reply, asTextAnswer(reply.message, value.text))
  if (!format || answer.output === undefined) return
  const read = await readOutput(reply, format, scope.signal)
  if (read.kind !== 'output') {
    const message = "The hook `output` has made the answer one that does not have the form of the agent's `output`."
    throw invalidConfig(`${message} Let it change what stands in the answer's fields.`)
  }
  answer.output = read.value
}

function withoutCalls(message: AssistantMessage): AssistantMessage {
  if (toolCalls(message).length === 0) return message
  return { ...message, content: message.content.filter(({ type }) => type !== 'tool-call') }
}
