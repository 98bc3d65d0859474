import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runTool } from './toolchain.mjs'

/**
 * Publishes the packages whose versions are not on the registry yet. For the release workflow, which discards its checkout
 * afterwards: npm attests that a package was built by the repository that its package.json names, so that is filled in here.
 */
export function release() {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env
  if (!server || !repository) throw new Error('Packages are published by .github/workflows/release.yml: push to main.')

  for (const name of readdirSync(join(root, 'packages'))) {
    const file = join(root, 'packages', name, 'package.json')
    const manifest = JSON.parse(readFileSync(file, 'utf8'))
    manifest.repository = { type: 'git', url: `git+${server}/${repository}.git`, directory: `packages/${name}` }
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  return runTool('@changesets/cli', ['publish'])
}
