/** Does something as a user who may not read everything, which root may: files of theirs alone are closed to nobody. */
export async function withoutPrivileges<Value>(work: () => Promise<Value> | Value): Promise<Value> {
  const nobody = 65_534
  const isRoot = process.getuid?.() === 0
  if (isRoot) process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
