import { AgentKitError } from '@agentkit/core'

type Driver = typeof import('pg')['default']

/**
 * The driver, which only users of Postgres install.
 * @throws AgentKitError `missing-package` with the command that installs it
 */
export async function loadPg(importPackage: () => Promise<typeof import('pg')> = () => import('pg')): Promise<Driver> {
  try {
    return (await importPackage()).default
  } catch (cause) {
    const { code, message } = cause as { code?: string; message?: string } // whatever an import throws
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message?.includes("'pg'")) throw cause
    const fix =
      'Sessions in Postgres need the packages pg and @agentkit/queue-postgres. Run: npm i @agentkit/queue-postgres pg'
    throw new AgentKitError('missing-package', fix, { cause })
  }
}
