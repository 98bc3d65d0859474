/**
 * The environment of a parser process: only the path and the locale. A file that takes over the process finds no keys in
 * its environment.
 */
export function workerEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(env).filter((name) => /^(PATH|LANG|LANGUAGE|LC_[A-Z]+)$/i.test(name))
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
