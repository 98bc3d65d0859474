import type { Model, ModelRequest } from '../contracts/model.ts'
import { settingsFor } from '../contracts/model-settings.ts'
import { readToolResult } from '../conversation/long-results.ts'
import type { AgentEventBody, Emit } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { limits } from '../limits.ts'
import { passHook } from '../policies/hooks.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { askForOutput, finalToolName, outputStrategy } from '../schema/structured-output.ts'
import { compileTools } from '../tools/toolbox.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { askModel } from './call-with-fallback.ts'
import { passReply } from './check-reply.ts'
import type { Run } from './types.ts'

/** A finished model call. `again`: it was no answer, and the model is asked once more. */
export type Step = { reply: Reply; again: boolean }

/** Asks the model for the next step, tells what may be told of its answer, and journals it. */
export async function askStep(run: Run): Promise<Step> {
  const { asker, progress, scope, conversation, turn } = run
  const step = progress.steps + 1
  await scope.emit({ type: 'step-start', step })
  progress.reply = emptyReply()
  const gate = openGate(scope.emit)
  const reply = await askModel(asker, {
    step,
    emit: gate.emit,
    requestFor: (model) => requestFor(run, model),
    makeRoom: (model) => conversation.makeRoom(model),
    begin(attempt) {
      gate.close(holdsBack(run))
      // What has not passed is nobody's answer, also when the run ends here.
      progress.reply = gate.isClosed ? emptyReply() : attempt
    },
  })
  progress.steps = step
  progress.warnings.push(...reply.warnings)
  const { changed, again } = await passReply(run, reply)
  conversation.setAside(again ?? [])
  if (again) return { reply, again: true }
  progress.reply = reply
  if (gate.isClosed) await gate.open(changed ? eventsOf(reply) : undefined, run.finalTool)
  if (reply.message.content.length > 0) {
    await untilAborted(scope.signal, turn.append([reply.message]))
    progress.messages.push(reply.message)
    conversation.add(reply.message)
  }
  return { reply, again: false }
}

/** Whether this step's answer is told only once it has passed. */
function holdsBack({ agent: { hooks }, finalTool }: Run): boolean {
  return Boolean(hooks.afterModel || hooks.output) || finalTool !== undefined
}

type Gate = {
  emit: Emit
  readonly isClosed: boolean
  /** Forgets what is held, and holds what comes from now on, or does not. */
  close(isClosed: boolean): void
  /** Tells what is held, or other events in its place; of the tool that takes the answer nobody hears. */
  open(instead: AgentEventBody[] | undefined, finalTool: string | undefined): Promise<void>
}

function openGate(emit: Emit): Gate {
  let isClosed = false
  let held: AgentEventBody[] = []
  return {
    emit(event) {
      if (!isClosed) return emit(event)
      held.push(event)
      return undefined
    },
    get isClosed() {
      return isClosed
    },
    close(shallClose) {
      isClosed = shallClose
      held = []
    },
    async open(instead = held, finalTool) {
      for (const event of instead) {
        if (event.type !== 'tool-call' || event.name !== finalTool) await emit(event)
      }
    },
  }
}

function eventsOf({ text, calls }: Reply): AgentEventBody[] {
  const events: AgentEventBody[] = text === '' ? [] : [{ type: 'text-delta', text }]
  for (const { callId, name, input, inputText } of calls) {
    events.push({ type: 'tool-call', callId, name, input: inputText ?? cloneJSON(input as JSONValue) })
  }
  return events
}

/** What a model is asked in the next step: the conversation as it fits, the tools, the form of the answer. */
export async function requestFor(run: Run, model: Model): Promise<ModelRequest> {
  const { conversation, agent, hookContext } = run
  let request = await conversation.requestFor(model, whatIsAsked(run, model))
  if (conversation.hasLongResults && (await offerReading(run))) {
    request = await conversation.requestFor(model, whatIsAsked(run, model))
  }
  run.finalTool = finalToolOf(run, model)
  const { beforeModel } = agent.hooks
  return beforeModel ? (await passHook('beforeModel', beforeModel, request, hookContext)).value : request
}

function whatIsAsked(
  { agent, progress, toolBox: { specs }, format }: Run,
  model: Model,
): Omit<ModelRequest, 'messages'> {
  const hasTools = specs.length > 0
  const settings = settingsFor(agent.modelSettings, { isFirst: progress.steps === 0, hasTools })
  const asked = hasTools ? { ...settings, tools: specs } : settings
  if (!format) return asked
  const { messages: _, ...formed } = askForOutput(
    { messages: [], ...asked },
    format,
    outputStrategy(model.info, hasTools),
  )
  return formed
}

/** The tool that takes the answer, where this model needs one. */
function finalToolOf({ format, toolBox: { specs } }: Run, model: Model): string | undefined {
  const isNeeded = format !== undefined && outputStrategy(model.info, specs.length > 0) === 'final-tool'
  return isNeeded ? finalToolName(specs) : undefined
}

/** @returns whether the tool that reads on is offered from now on, and was not before */
async function offerReading(run: Run): Promise<boolean> {
  const { conversation, toolBox } = run
  // A stretch that is too long for a result would be cut once more, and have to be read on in itself.
  const mostTokens = limits.toolResultBytes / 4
  const tool = readToolResult(conversation.findResult, () => Math.min(conversation.resultTokens, mostTokens))
  if (toolBox.byName.has(tool.name)) return false
  const { specs, byName } = await compileTools(new Map([[tool.name, tool]]))
  run.toolBox = {
    ...toolBox,
    byName: new Map([...toolBox.byName, ...byName]),
    specs: [...toolBox.specs, ...specs],
  }
  return true
}
