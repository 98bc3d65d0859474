let nodesUtil: typeof import('node:util') | undefined

/** Whether two values are equal in depth. `node:util` is not imported, as an import loads all that its exports need, too. */
export function isDeepEqual(one: unknown, other: unknown): boolean {
  nodesUtil ??= process.getBuiltinModule('node:util')
  return nodesUtil.isDeepStrictEqual(one, other)
}
