/**
 * The environment of a process that reads files: where programs are, and the language. A file that takes the process over
 * finds no keys in it.
 */
export function workerEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(env).filter((name) => /^(PATH|LANG|LANGUAGE|LC_[A-Z]+)$/i.test(name))
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
