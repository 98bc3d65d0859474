import { createRequire } from 'node:module'

type Compiler = typeof import('../compiler.ts')

let loaded: Compiler | undefined

/** What compiles functions. A start that finds everything in the cache does without, and is some milliseconds faster. */
export function loadCompiler(): Compiler {
  // `#compiler` of the package.json is that module.
  loaded ??= createRequire(import.meta.url)('#compiler') as Compiler
  return loaded
}
