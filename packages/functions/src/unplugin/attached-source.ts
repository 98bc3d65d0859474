import { isAgentKitError } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { planAttachments } from '../compiler/attachments.ts'
import { compileFunction } from '../compiler/compile-function.ts'
import { type FoundFunction, findFunctions } from '../compiler/find/find-functions.ts'
import { isTaggedInternal } from '../compiler/find/internal-tag.ts'
import { insertAttachments } from '../compiler/insert-attachments.ts'
import type { TypedProject } from '../compiler/project/project.ts'
import { syntaxErrors } from '../compiler/scope/syntax-errors.ts'
import type { CompiledFunction } from '../runtime/compiled-function.ts'
import { type RunTime, runTimeFor } from './run-time.ts'

export type AttachedSource = {
  /** The file's text with attached tools. Lines keep their numbers. */
  code: string
  /** The reasons why functions that are accessible from outside cannot be tools. */
  problems: string[]
  /** Warnings for their authors. */
  warnings: string[]
}

/** Compiles the functions of a file, and inserts the results into its text. */
export function attachedSource(file: ts.SourceFile, project: TypedProject): AttachedSource {
  // The bundler reports syntax errors best.
  const found = syntaxErrors(file).length > 0 ? [] : findFunctions(project.ts, file)
  if (found.length === 0) return { code: file.text, problems: [], warnings: [] }
  const outcomes = found.map((each) => compileOne(each, project))
  const runTime = runTimeFor(file, project.ts)
  const code = insertAttachments(file.text, planAttachments(project.ts, file, found), (index, reference) => {
    const outcome = outcomes[index]
    return outcome ? `${runTime.attachTool}(${reference},${sourceOf(outcome, runTime)})` : reference
  })
  const published = outcomes.filter((_outcome, index) => isPublished(found[index], project.ts))
  return {
    code: code + runTime.end,
    problems: published.flatMap(({ problem }) => problem ?? []),
    warnings: published.flatMap(({ warnings }) => warnings ?? []),
  }
}

type Outcome =
  | { compiled: CompiledFunction; warnings: string[]; problem?: undefined }
  | { problem: string; warnings?: undefined }

function compileOne(found: FoundFunction, project: TypedProject): Outcome {
  try {
    return compileFunction(found, project)
  } catch (error) {
    if (isAgentKitError(error) && error.code === 'invalid-argument') return { problem: error.message }
    throw error
  }
}

/** An expression that returns the compiled function, or throws the problem. It is evaluated when the tool is used. */
function sourceOf(outcome: Outcome, { AgentKitError }: RunTime): string {
  if (outcome.problem === undefined) return `()=>(${literal(outcome.compiled)})`
  return `()=>{throw new ${AgentKitError}("invalid-argument",${JSON.stringify(outcome.problem)})}`
}

function literal(compiled: CompiledFunction): string {
  // Without brackets, this name of a property would set the object's prototype.
  return JSON.stringify(compiled).replaceAll(/(?<!\\)"__proto__":/g, '["__proto__"]:')
}

/** Whether it is accessible from outside and not tagged as internal. */
function isPublished(found: FoundFunction | undefined, typescript: typeof ts): boolean {
  return found?.exportPath !== undefined && !isTaggedInternal(typescript, found.node)
}
