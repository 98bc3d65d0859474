import { AgentKitError } from '../data/errors.ts'
import type { AssistantMessage, Message, ToolMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { passHook } from '../policies/hooks.ts'
import { type Reply, textOf } from '../runs/reply.ts'
import { asTextAnswer, type OutputFormat, readOutput, repairNote } from '../schema/structured-output.ts'
import type { Run } from './types.ts'

/** What became of a reply on its way to being told and stored. */
export type PassedReply = {
  /** Whether it is not what the model said. */
  changed: boolean
  /** It is no answer: what the model is told with the next request. */
  again?: Message[]
}

/**
 * Lets a reply pass: the hooks, and the form that the agent's `output` asks for. Changes it in place.
 *
 * @throws Blocked when a hook says so
 * @throws AgentKitError `provider-error` when the answer does not have the form for the second time
 */
export async function passReply(run: Run, reply: Reply): Promise<PassedReply> {
  const { message } = reply
  const saidNothing = reply.text.trim() === '' && reply.calls.length === 0
  // A filtered answer's calls are not run, so they must not stand in the history either.
  if (reply.reason === 'content-filter') use(reply, withoutCalls(message))
  const { afterModel, output } = run.agent.hooks
  if (afterModel) use(reply, (await passHook('afterModel', afterModel, reply.message, run.hookContext)).value)
  const isAnswer = reply.calls.every(({ name }) => name === run.finalTool)
  if (isAnswer) {
    const read = run.format ? await readForm(run, reply, run.format) : readText(run, reply, saidNothing)
    if (read.again) return { changed: reply.message !== message, again: read.again }
    if (output) await passOutput(run, reply, read)
    run.progress.output = read.output
  }
  return { changed: reply.message !== message }
}

/**
 * The same of an answer that no model has given: its form is looked at, and nobody can be asked for another one.
 * @throws AgentKitError `invalid-config` when it does not have the form
 */
export async function passPlanned(run: Run, reply: Reply, output: unknown): Promise<void> {
  const { agent, format, progress } = run
  const read: ReadAnswer = format ? await readPlanned(run, reply, format) : { output }
  if (agent.hooks.output) await passOutput(run, reply, read)
  progress.output = read.output
}

async function readPlanned({ agent }: Run, reply: Reply, format: OutputFormat): Promise<ReadAnswer> {
  const read = await readOutput(reply, format)
  if (read.kind === 'output') return { output: read.value }
  const why = read.kind === 'problems' ? ` ${read.problems}` : ''
  const message = `The last answer in "${agent.name}" does not have the form of its \`output\`.${why}`
  throw new AgentKitError('invalid-config', `${message} Give the agent that answers last the same \`output\`.`)
}

type ReadAnswer = { output?: unknown; again?: Message[] }

/** @param saidNothing whether the model did; one that a hook has left empty is not asked for again */
function readText({ guard, agent }: Run, { reason }: Reply, saidNothing: boolean): ReadAnswer {
  if (!isFinished(reason)) return {}
  if (!saidNothing) {
    guard.answered()
    return {}
  }
  if (agent.guard === false) return {}
  const note = guard.emptyAnswer()
  return { again: note === undefined ? [] : [{ v: 1, role: 'user', content: note }] }
}

async function readForm(run: Run, reply: Reply, format: OutputFormat): Promise<ReadAnswer> {
  const { finalTool, progress } = run
  const byCall = reply.calls.length > 0
  if (!byCall && !isFinished(reply.reason)) return {}
  const read = await readOutput(reply, format, finalTool)
  if (read.kind === 'tools') return {}
  if (read.kind === 'problems') {
    progress.misfits++
    if (progress.misfits > 1) throw misfit(run, read.problems)
    return { again: repair(reply.message, repairNote(read.problems, format, finalTool)) }
  }
  // What was told as it came stays as it was said.
  if (byCall) use(reply, asTextAnswer(reply.message, read.text))
  reply.reason = 'stop'
  return { output: read.value }
}

function isFinished(reason: Reply['reason']): boolean {
  return reason === 'stop' || reason === 'tool-calls'
}

/** The answer that was not taken, and why: as the result of its calls where it is one. */
function repair(message: AssistantMessage, note: string): Message[] {
  const calls = toolCalls(message)
  if (calls.length === 0)
    return [...(message.content.length > 0 ? [message] : []), { v: 1, role: 'user', content: note }]
  const results = calls.map(({ callId, name }): ToolMessage => {
    return { v: 1, role: 'tool', callId, name, content: note, isError: true }
  })
  return [message, ...results]
}

function misfit({ asker }: Run, problems: string): AgentKitError {
  const message = `The answer of "${asker.model.id}" does not have the form of \`output\`, also when asked again. ${problems}`
  return new AgentKitError('provider-error', `${message} Simplify the schema, or use another model.`)
}

/** The output hook sees what the user would. */
async function passOutput({ agent, hookContext, format }: Run, reply: Reply, read: ReadAnswer): Promise<void> {
  const { value, changed } = await passHook('output', agent.hooks.output, { text: reply.text }, hookContext)
  if (!changed) return
  use(reply, asTextAnswer(reply.message, value.text))
  if (!format || read.output === undefined) return
  const changedTo = await readOutput(reply, format)
  if (changedTo.kind !== 'output') {
    const message = "The hook `output` has made the answer one that does not have the form of the agent's `output`."
    throw new AgentKitError('invalid-config', `${message} Let it change what stands in the answer's fields.`)
  }
  read.output = changedTo.value
}

/** Takes another message for the one that the model wrote; its calls are those of the message. */
function use(reply: Reply, other: AssistantMessage): void {
  if (other === reply.message) return
  // Providers refuse texts that are empty.
  const content = other.content.filter((part) => part.type !== 'text' || part.text !== '' || part.opaque !== undefined)
  const message = { ...other, content }
  const known = new Map(reply.calls.map((call) => [call.callId, call]))
  reply.calls = toolCalls(message).map(({ callId, name, input }) => {
    const call = known.get(callId)
    return call?.invalid === undefined ? { type: 'tool-call', callId, name, input } : call
  })
  reply.text = textOf(message)
  reply.message = message
}

function withoutCalls(message: AssistantMessage): AssistantMessage {
  if (toolCalls(message).length === 0) return message
  return { ...message, content: message.content.filter(({ type }) => type !== 'tool-call') }
}
