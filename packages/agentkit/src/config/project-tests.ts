import { dirname } from 'node:path'

/** The part of Vitest's state that has the folder of the project. It is not inherited by processes that a test starts. */
type VitestWorker = { config?: { root?: string } }

/**
 * Whether this code runs in a test of the project in the working directory: by Vitest, or in a file of `node --test`.
 * The agents then have only the settings that the test passes, not the configuration of the project.
 */
export function isInProjectTests(): boolean {
  const { __vitest_worker__: vitest } = globalThis as { __vitest_worker__?: VitestWorker }
  if (vitest) return vitest.config?.root === process.cwd().replaceAll('\\', '/')
  // A process that a test starts inherits the variable, and is not a test file itself.
  const isTestFile = /(?:^|[\\/._-])test[^\\/]*$/.test(process.argv[1] ?? '')
  return process.env.NODE_TEST_CONTEXT !== undefined && isTestFile && process.env.PWD === process.cwd()
}

/** Whether a configuration belongs to the project whose tests run. */
export function isProjectsOwn(path: string | undefined): boolean {
  return path !== undefined && isInProjectTests() && dirname(path) === process.cwd()
}

/** Whether this is a test of a project whose configuration is not read. */
export function hasUnreadConfig(path: string | undefined): boolean {
  const { existsSync } = process.getBuiltinModule('node:fs')
  return path === undefined && isInProjectTests() && existsSync('agentkit_config.toml')
}
