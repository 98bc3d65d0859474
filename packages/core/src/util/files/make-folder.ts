/**
 * Makes a folder and those above it, unless they are there. `mkdir` with `recursive` of Node never ends below a folder in
 * which the system lets no one make one, such as /proc.
 *
 * @throws Error of Node, with its code
 */
export function makeFolder(folder: string, mode?: number): void {
  const { existsSync, mkdirSync, statSync } = process.getBuiltinModule('node:fs')
  const { dirname, resolve } = process.getBuiltinModule('node:path')
  const missing: string[] = []
  for (let path = resolve(folder); !existsSync(path); path = dirname(path)) missing.unshift(path)
  // Fails where the path is a file.
  if (missing.length === 0) mkdirSync(folder, { recursive: true })
  for (const path of missing) {
    try {
      mkdirSync(path, { mode })
    } catch (error) {
      // Another process was faster.
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
    }
  }
}
