import { checkNodeVersion } from './load/node-version.ts'

// Before the rest is linked: an older Node would say that an export of its own is missing.
checkNodeVersion(process.versions.node)
const { registerLoadHook } = await import('./load/register-hooks.ts')
registerLoadHook()
