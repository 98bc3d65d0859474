import type { AgentEventBody, Emit } from '../data/event.ts'
import type { JSONValue } from '../data/message.ts'
import { emptyReply, type Reply } from '../runs/reply.ts'
import { untilAborted } from '../util/abort.ts'
import { cloneJSON } from '../util/clone-json.ts'
import { askModel } from './ask-model.ts'
import { passReply } from './pass-reply.ts'
import { requestFor } from './step-request.ts'
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
