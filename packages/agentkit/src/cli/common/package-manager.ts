import { existsSync } from 'node:fs'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
]

/** The package manager of this folder by its lock file, else the one that runs this process, else npm. */
export function packageManager(): PackageManager {
  const [, locked] = lockFiles.find(([file]) => existsSync(file)) ?? []
  const [name = ''] = (process.env.npm_config_user_agent ?? '').split('/')
  return locked ?? packageManagers.find((one) => one === name) ?? 'npm'
}

/** The command that adds packages. */
export function addCommand(manager: PackageManager, packages: readonly string[]): string {
  return `${manager} ${manager === 'npm' ? 'i' : 'add'} ${packages.join(' ')}`
}
