/** Node's SQLite, without the warning of Node 22 that it is experimental: the user of a command did not choose it. */
export function nodeSQLite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  const others = (...given: Parameters<typeof emitWarning>): void => {
    if (!String(given[0]).startsWith('SQLite is an experimental feature')) emitWarning.apply(process, given)
  }
  process.emitWarning = others as typeof emitWarning // the type of its overloads
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
