import { spawnSync } from 'node:child_process'
import type { PackageManager } from '../common/package-manager.ts'

/**
 * Variables for the first install of a project. Without them a package manager would refuse it or use another registry.
 */
export function installVariables(manager: PackageManager, folder: string): Record<string, string> {
  const registry = ownRegistry()
  switch (manager) {
    // In CI, pnpm refuses changes of the lock file, which a new project needs.
    case 'pnpm':
      return {
        npm_config_frozen_lockfile: 'false',
        pnpm_config_frozen_lockfile: 'false',
        ...(registry && !process.env.pnpm_config_registry && { pnpm_config_registry: registry.href }),
      }
    case 'yarn':
      return {
        YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
        ...(registry && registryOfYarn(registry)),
        ...approvedInYarn(folder),
      }
    default:
      return {}
  }
}

/** The registry that npm and bun use, from which this command may come; yarn 4 and pnpm since 11 do not read it. */
function ownRegistry(): URL | undefined {
  const address = process.env.npm_config_registry ?? ''
  // `URL.parse` is newer than the Node on which `init` may run.
  return URL.canParse(address) ? new URL(address) : undefined
}

function registryOfYarn(address: URL): Record<string, string> {
  if (process.env.YARN_NPM_REGISTRY_SERVER) return {}
  const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(address.hostname)
  return {
    YARN_NPM_REGISTRY_SERVER: address.href.replace(/\/$/, ''),
    ...(address.protocol === 'http:' && isLoopback && { YARN_UNSAFE_HTTP_WHITELIST: address.hostname }),
  }
}

/** Since 4.10 yarn refuses versions younger than a day; the user has chosen the version of this command. */
function approvedInYarn(folder: string): Record<string, string> {
  const { stdout } = spawnSync('yarn', ['--version'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 10_000,
  })
  const [major = 0, minor = 0] = String(stdout ?? '')
    .trim()
    .split('.')
    .map(Number)
  const isKnown = major > 4 || (major === 4 && minor >= 10)
  return isKnown ? { YARN_NPM_PREAPPROVED_PACKAGES: 'agentkit,@agentkit/*' } : {}
}
