import type { Knowledge, SyncProgress } from '../contracts/knowledge.ts'
import type { Tool, ToolRun } from '../contracts/tool.ts'
import { AgentKitError, invalidArgument, invalidConfig, isAgentKitError, messageOf } from '../data/errors.ts'
import { untilAborted } from '../util/async/abort.ts'
import { redactedError, redactSecrets } from '../util/text/redact.ts'
import { toTools } from './to-tools.ts'
import { compileTools, enabledTools, type ToolBox } from './toolbox.ts'

/** The tools of a run, and the warnings of the sync. */
export type RunTools = { toolBox: ToolBox; warnings: string[] }

/**
 * An agent's tools with those of its knowledge. The first run starts a sync; it and the runs that start meanwhile wait for
 * it, at most `firstAnswerSeconds` from its start. The tools are compiled once, and again when a sync returns others;
 * which of them a run is offered is asked for each run.
 *
 * @returns a function that returns the tools of a run. If the sync fails, it throws the error when nothing was indexed
 *   before; otherwise the run continues with the old index and a warning
 */
export function knowledgeTools(
  tools: Map<string, Tool>,
  knowledge: Knowledge | undefined,
): (run: ToolRun) => Promise<RunTools> {
  let compiled: { of: Tool[] | undefined; toolBox: Promise<ToolBox> } | undefined
  let first: FirstSync | undefined
  const toolBoxOf = (known: Tool[] | undefined): Promise<ToolBox> => {
    if (compiled && compiled.of === known) return compiled.toolBox
    const toolBox = known ? compileTools(withKnown(tools, known)) : compileTools(tools)
    compiled = { of: known, toolBox }
    return toolBox
  }
  return async (run) => {
    const { signal } = run
    const warnings: string[] = []
    const offered = async (known: Tool[] | undefined): Promise<RunTools> => {
      const toolBox = await untilAborted(signal, toolBoxOf(known))
      if (toolBox.tooMany !== undefined) warnings.push(toolBox.tooMany)
      return { toolBox: await enabledTools(toolBox, run, warnings), warnings }
    }
    if (!knowledge) return offered(undefined)
    // The sync serves all runs: it does not end with the signal of the run that started it.
    first ??= startSync(knowledge)
    // Another run may begin the next one meanwhile.
    const own = first
    try {
      await untilAborted(signal, own.waitedFor)
      const pending = own.pending()
      if (pending !== undefined) {
        // The tools list the files: loads those that an earlier process has indexed.
        await untilAborted(signal, filesOf(knowledge))
        warnings.push(pending)
      }
    } catch (error) {
      if (signal.aborted) throw error
      if (first === own) first = undefined
      const before = await untilAborted(signal, filesOf(knowledge))
      if (before.length === 0) throw error
      warnings.push(
        `The files could not be synced, so the answer stands on what was indexed before: ${redactSecrets(messageOf(error))}`,
      )
    }
    return offered(toolsOf(knowledge))
  }
}

type FirstSync = {
  /** Settles with the sync, or when its time is up. One promise for all runs, so that it retains none. */
  waitedFor: Promise<unknown>
  /** The warning of a run before the sync is done; `undefined` afterwards. @throws the error of the sync */
  pending(): string | undefined
}

function startSync(knowledge: Knowledge): FirstSync {
  let progress: SyncProgress | undefined
  let isDone = false
  let failed: { error: unknown } | undefined
  const done = calling('sync', () =>
    knowledge.sync({
      onProgress(reported) {
        progress = reported
      },
    }),
  )
  const late = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, (knowledge.firstAnswerSeconds ?? usualFirstAnswerSeconds) * 1000)
    // If no run waits any more, the next one gets the error.
    const settle = (): void => {
      isDone = true
      clearTimeout(timer)
    }
    done.then(settle, (error: unknown) => {
      failed = { error }
      settle()
    })
  })
  return { waitedFor: Promise.race([done, late]), pending }

  function pending(): string | undefined {
    if (failed) throw failed.error
    return isDone ? undefined : pendingWarning(progress)
  }
}

/** Calls the knowledge, whose errors may be of any kind. */
async function calling<Value>(name: 'sync' | 'files', call: () => Promise<Value>): Promise<Value> {
  try {
    return await call()
  } catch (cause) {
    throw failure(name, cause)
  }
}

function failure(name: 'sync' | 'files' | 'tools', cause: unknown): AgentKitError {
  return redactedError(cause, 'tool-error', `The agent's knowledge failed in \`${name}\`:`)
}

async function filesOf(knowledge: Knowledge): Promise<readonly unknown[]> {
  const files = await calling('files', () => knowledge.files())
  if (Array.isArray(files)) return files
  throw unusable('files', 'a promise of a list of files, [] where there are none')
}

function toolsOf(knowledge: Knowledge): Tool[] {
  try {
    const tools = knowledge.tools()
    // The list is the same object while the tools do not change.
    if (Array.isArray(tools) && toTools(tools)) return tools
  } catch (cause) {
    if (!isAgentKitError(cause)) throw failure('tools', cause)
    throw new AgentKitError(cause.code, `The agent's knowledge, \`tools\`: ${cause.message}`, { cause })
  }
  throw unusable('tools', 'a list of tools, made by tool({ … })')
}

function unusable(name: string, wanted: string): AgentKitError {
  return invalidConfig(`The agent's knowledge returned what cannot be used from \`${name}\`. Return ${wanted}.`)
}

const usualFirstAnswerSeconds = 60

function pendingWarning(progress: SyncProgress | undefined): string {
  const rest = 'the answer uses what was indexed before, and the sync continues.'
  if (progress === undefined) return `The sync has not yet found out how many files are pending: ${rest}`
  const pending = progress.files - progress.filesDone
  return `${pending} ${pending === 1 ? 'file is' : 'files are'} pending, of ${progress.files} that the sync reads: ${rest}`
}

function withKnown(tools: Map<string, Tool>, known: readonly Tool[]): Map<string, Tool> {
  const all = new Map(tools)
  for (const [name, tool] of toTools(known)) {
    if (all.has(name)) {
      throw invalidArgument(
        `The function "${name}" has the name of a tool of the agent's knowledge. Rename the function.`,
      )
    }
    all.set(name, tool)
  }
  return all
}
