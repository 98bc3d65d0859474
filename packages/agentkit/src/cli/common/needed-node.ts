import { ownManifest } from './own-manifest.ts'

/** The oldest Node that agentkit runs on, as `22.18`. */
export const neededNode: string = ownManifest.engines.node.replace('>=', '')

/** Whether a version of Node is too old. Node 23 strips types from 23.6 on. */
export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = neededNode.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor) || (major === 23 && minor < 6)
}
