/** The real path, absolute. For a path that does not exist yet, the real path of its folder decides. */
export function realPath(path: string): string {
  const { basename, dirname, join, resolve } = process.getBuiltinModule('node:path')
  const absolute = resolve(path)
  try {
    return process.getBuiltinModule('node:fs').realpathSync(absolute)
  } catch {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute))
  }
}
