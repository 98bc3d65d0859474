import type { ParseLimits } from './parse-limits.ts'

/** The argument of a worker, as JSON. */
export type WorkerStart = {
  limits: ParseLimits
  /** The folder of the compile cache of its parent, where that has one. */
  compileCache?: string
}

/**
 * The environment of a parser process: only the path and the locale. A file that takes over the process finds no keys in
 * its environment.
 */
export function workerEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(env).filter((name) => /^(PATH|LANG|LANGUAGE|LC_[A-Z]+)$/i.test(name))
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
