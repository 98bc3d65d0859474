import { untilAborted } from './abort.ts'
import { AgentKitError, messageOf } from './errors.ts'
import type { Knowledge } from './knowledge.ts'
import { redactSecrets } from './redact.ts'
import { compileTools, type ToolBox } from './run-tools.ts'
import { type Tool, toTools } from './tool.ts'

/** What a run may call. */
export type RunTools = { toolBox: ToolBox; warnings: string[] }

/**
 * An agent's tools with those of its knowledge. Before the first run the knowledge is synced; runs that come meanwhile
 * wait for it too. They are compiled once, and again when a sync has brought other tools.
 *
 * @returns what gives a run its tools. It throws what the sync fails in, where nothing was indexed before; otherwise
 *   the run goes on with that, and is warned
 */
export function knowledgeTools(
  tools: Map<string, Tool>,
  knowledge: Knowledge | undefined,
): (signal: AbortSignal) => Promise<RunTools> {
  let compiled: { of: Tool[] | undefined; toolBox: Promise<ToolBox> } | undefined
  let synced: Promise<unknown> | undefined
  const toolBoxOf = (known: Tool[] | undefined): Promise<ToolBox> => {
    if (compiled && compiled.of === known) return compiled.toolBox
    const toolBox = known ? compileTools(withKnown(tools, known)) : compileTools(tools)
    compiled = { of: known, toolBox }
    return toolBox
  }
  return async (signal) => {
    const warnings: string[] = []
    if (!knowledge) return { toolBox: await untilAborted(signal, toolBoxOf(undefined)), warnings }
    // What one run has begun serves all: it does not end with that run's signal.
    synced ??= knowledge.sync()
    try {
      await untilAborted(signal, synced)
    } catch (error) {
      if (signal.aborted) throw error
      synced = undefined
      const before = await untilAborted(signal, knowledge.files())
      if (before.length === 0) throw error
      warnings.push(
        `The files could not be synced, so the answer stands on what was indexed before: ${redactSecrets(messageOf(error))}`,
      )
    }
    return { toolBox: await untilAborted(signal, toolBoxOf(knowledge.tools())), warnings }
  }
}

function withKnown(tools: Map<string, Tool>, known: readonly Tool[]): Map<string, Tool> {
  const all = new Map(tools)
  for (const [name, tool] of toTools(known)) {
    if (all.has(name)) {
      throw new AgentKitError(
        'invalid-argument',
        `The function "${name}" has the name of a tool of the agent's knowledge. Rename the function.`,
      )
    }
    all.set(name, tool)
  }
  return all
}
