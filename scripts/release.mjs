import { requireSite } from './site.mjs'
import { runTool } from './toolchain.mjs'

/**
 * Publishes the packages whose versions are not on the registry yet. For the release workflow: npm attests that a
 * package was built by the repository that its package.json names, which is the repository of site.json.
 */
export function release() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!server || !repository) throw new Error('Packages are published by .github/workflows/release.yml: push to main.')
  requireSite()
  return runTool('@changesets/cli', ['publish'])
}
