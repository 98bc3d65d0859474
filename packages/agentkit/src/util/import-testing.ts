import { AgentKitError } from '@agentkit/core'
import { isMissing } from '../models/import-provider.ts'

type Testing = typeof import('@agentkit/testing')

/**
 * Imports the package that records and replays: development has it, production does without.
 *
 * @param importPackage how its exports are come by
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function importTesting(
  importPackage: (name: string) => Promise<Testing> = (name) => import(name),
): Promise<Testing> {
  const name = '@agentkit/testing'
  try {
    return await importPackage(name)
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    throw new AgentKitError('missing-package', `The package ${name} is not installed. Run: npm i -D ${name}`, { cause })
  }
}
