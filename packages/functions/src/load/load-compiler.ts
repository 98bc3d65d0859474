import { createRequire } from 'node:module'
import type { planAttachments } from '../compiler/attachments.ts'
import type { compileFunction } from '../compiler/compile-function.ts'
import type { findFunctions } from '../compiler/find/find-functions.ts'
import type { openProject } from '../compiler/project/project.ts'
import type { syntaxErrors } from '../compiler/scope/syntax-errors.ts'

/** The exports of `#compiler`. */
export type Compiler = {
  planAttachments: typeof planAttachments
  compileFunction: typeof compileFunction
  findFunctions: typeof findFunctions
  openProject: typeof openProject
  syntaxErrors: typeof syntaxErrors
}

let loaded: Compiler | undefined

/** Loads the compiler on first use: a start that finds everything in the cache does without it, and is faster. */
export function loadCompiler(): Compiler {
  loaded ??= createRequire(import.meta.url)('#compiler') as Compiler
  return loaded
}
