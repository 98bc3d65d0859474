/** Runs `work` as a user without privileges, because root may read every file, whatever its permissions are. */
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
