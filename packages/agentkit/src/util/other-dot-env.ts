const { existsSync } = process.getBuiltinModule('node:fs')
const { dirname, join } = process.getBuiltinModule('node:path')

/**
 * A sentence about a `.env` that is not read: the working directory has none, but a parent folder or the folder of the
 * program has one. It begins with a space, and is empty if there is no such file.
 */
export function otherDotEnv(program: string | undefined = process.argv[1]): string {
  const here = process.cwd()
  if (existsSync(join(here, '.env'))) return ''
  const folders = [...(program === undefined ? [] : [dirname(program)]), ...foldersAround(here)]
  const other = folders.map((folder) => join(folder, '.env')).find((file) => existsSync(file))
  return other === undefined ? '' : ` ${other} is not read: the working directory is ${here}.`
}

/** The folders that a folder is in, the nearest first, without the root of the disk. */
function foldersAround(folder: string): string[] {
  const parent = dirname(folder)
  return parent === dirname(parent) ? [] : [parent, ...foldersAround(parent)]
}
