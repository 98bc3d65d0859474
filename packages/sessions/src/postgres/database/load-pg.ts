import { AgentKitError } from '@agentkit/core'
import { isPackageMissing } from '@agentkit/core/internal'

type Driver = typeof import('pg')['default']

/**
 * The driver, which only users of Postgres install.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function loadPg(importPackage?: () => Promise<typeof import('pg')>): Promise<Driver> {
  try {
    // `await import()` of a name, within `try`: a bundler takes the driver if it is installed, and otherwise does without.
    return (importPackage ? await importPackage() : await import('pg')).default
  } catch (cause) {
    if (!isPackageMissing(cause, 'pg')) throw cause
    const fix =
      'Sessions in Postgres need the packages pg and @agentkit/queue-postgres. Run: npm i @agentkit/queue-postgres pg'
    throw new AgentKitError('missing-package', fix, { cause })
  }
}
