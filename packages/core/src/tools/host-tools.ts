import type { Tool, ToolRun } from '../contracts/tool.ts'
import { untilAborted } from '../util/async/abort.ts'
import type { RunTools } from './knowledge-tools.ts'
import { equalNames, toTools } from './to-tools.ts'
import { compileTools, enabledTools, type ToolBox, tooManyTools } from './toolbox.ts'

/** Tools that are known once a run begins, and warnings of that run. */
export type HostTools = (run: ToolRun) => Promise<AddedTools>
export type AddedTools = { tools: readonly Tool[]; warnings: string[] }

/**
 * The tools of an agent with those of its host, which are compiled once.
 * @throws AgentKitError `invalid-config` for a name that both have
 */
export function withHostTools(
  own: (run: ToolRun) => Promise<RunTools>,
  host: (run: ToolRun) => Promise<AddedTools | undefined>,
): (run: ToolRun) => Promise<RunTools> {
  let compiled: { of: readonly Tool[]; toolBox: Promise<ToolBox> } | undefined
  return async (run) => {
    const runTools = await own(run)
    const added = await host(run)
    if (!added) return runTools
    const { toolBox } = runTools
    const warnings = [...runTools.warnings, ...added.warnings]
    if (added.tools.length === 0) return { toolBox, warnings }
    if (compiled?.of !== added.tools) compiled = { of: added.tools, toolBox: compileTools(toTools(added.tools)) }
    const { tooMany: _, ...hosted } = await untilAborted(run.signal, compiled.toolBox)
    for (const [name, { tool }] of hosted.byName) {
      const other = toolBox.byName.get(name)
      if (other) throw equalNames(tool, other.tool)
    }
    const all: ToolBox = {
      specs: [...toolBox.specs, ...hosted.specs],
      byName: new Map([...toolBox.byName, ...hosted.byName]),
      mayNeedApproval: toolBox.mayNeedApproval || hosted.mayNeedApproval,
    }
    const tooMany = tooManyTools(new Map([...all.byName].map(([name, { tool }]) => [name, tool])), all.specs)
    if (tooMany !== undefined && tooMany !== toolBox.tooMany) warnings.push(tooMany)
    return { toolBox: await enabledTools(all, run, warnings), warnings }
  }
}
