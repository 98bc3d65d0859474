import { type Insertion, isPlan } from '../compiler/insert-attachments.ts'
import type { CompiledFunction } from '../runtime/compiled-function.ts'

/** The cached data of one file. */
export type CachedFile = {
  /** The insertions of calls, which depend on the file's text alone. */
  plan: Insertion[]
  /** The compiled functions by their index, as far as they were used. */
  tools: Record<number, CachedTool>
  /** The digests of other files that the tools depend on, by their absolute path. */
  dependencies: Record<string, string>
}
export type CachedTool = { compiled: CompiledFunction; warnings: string[] }

/**
 * Validates the cached data of a file with this text: others may write into `node_modules`, and the data decides
 * where calls are inserted in the file, and the tools that a model receives.
 */
export function checkCachedFile(data: unknown, text: string): CachedFile | undefined {
  if (!isRecord(data)) return undefined
  const { plan, tools, dependencies } = data
  if (!isPlan(plan, text) || !isRecord(tools) || !isRecord(dependencies)) return undefined
  const areTools = Object.entries(tools).every(([index, tool]) => /^\d+$/.test(index) && isTool(tool))
  const areDigests = Object.values(dependencies).every((digest) => typeof digest === 'string')
  // Each part was checked above.
  return areTools && areDigests ? ({ plan, tools, dependencies } as CachedFile) : undefined
}

function isTool(tool: unknown): boolean {
  return isRecord(tool) && isTexts(tool.warnings) && isCompiled(tool.compiled)
}

function isCompiled(compiled: unknown): compiled is CompiledFunction {
  if (!isRecord(compiled)) return false
  const { name, description, inputSchema, parameters, contextIndex, dates, methodOf } = compiled
  return (
    typeof name === 'string' &&
    typeof description === 'string' &&
    isRecord(inputSchema) &&
    Array.isArray(parameters) &&
    parameters.every(isParameter) &&
    (contextIndex === undefined || (Number.isSafeInteger(contextIndex) && (contextIndex as number) >= 0)) &&
    (dates === undefined || isTexts(dates)) &&
    (methodOf === undefined || typeof methodOf === 'string')
  )
}

function isParameter(parameter: unknown): boolean {
  if (!isRecord(parameter)) return false
  const { name, rest, whole } = parameter
  if (whole === true) return name === undefined && rest === undefined
  return typeof name === 'string' && whole === undefined && (rest === undefined || rest === true)
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((item) => typeof item === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
