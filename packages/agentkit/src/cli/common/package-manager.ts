import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
]

/**
 * The package manager that runs this process, else the package manager of the folder's lock file, else npm. A lock file
 * counts more than a running npm, because `npx` is used in any project.
 */
export function packageManager(folder = '.'): PackageManager {
  const [name = ''] = (process.env.npm_config_user_agent ?? '').split('/')
  const running = packageManagers.find((one) => one === name && one !== 'npm')
  const [, locked] = lockFiles.find(([file]) => existsSync(join(folder, file))) ?? []
  return running ?? locked ?? 'npm'
}

/** The command that adds packages. */
export function addCommand(manager: PackageManager, packages: readonly string[]): string {
  return `${manager} ${manager === 'npm' ? 'i' : 'add'} ${packages.join(' ')}`
}
