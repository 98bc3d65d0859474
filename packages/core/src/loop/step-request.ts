import type { Model, ModelRequest } from '../contracts/model.ts'
import { settingsFor } from '../contracts/model-settings.ts'
import { readToolResult } from '../conversation/long-results.ts'
import { limits } from '../limits.ts'
import { passHook } from '../policies/hooks.ts'
import { askForOutput, finalToolName, outputStrategy } from '../schema/structured-output.ts'
import { compileTools } from '../tools/toolbox.ts'
import type { Run } from './types.ts'

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
