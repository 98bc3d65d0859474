import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPackage } from './new.ts'
import { plainEnvironment } from './pack-packages.ts'
import { root } from './workspace-files.ts'

const copy = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-new-')))

beforeAll(() => {
  const notCopied = new Set(['dist', '.build', '.git', '.turbo', '.vite'])
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== join(root, 'node_modules') && !notCopied.has(basename(path)),
  })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('pnpm new', () => {
  it('makes an eighth provider and another store, which pass their contracts, and the derived files of the workspace', async () => {
    await node('scripts/new.ts', 'provider', 'zeta')
    await node('scripts/new.ts', 'store', 'zeta')
    // Links the packages as an install would: the packages of the template are in the workspace.
    for (const folder of ['providers-zeta', 'sessions-zeta']) {
      const modules = join(copy, 'scripts/new/provider/node_modules')
      symlinkSync(relative(join(copy, 'packages', folder), modules), join(copy, 'packages', folder, 'node_modules'))
    }
    // Includes the tests that CONTRIBUTING.md names, and the test of the READMEs.
    const files = [
      'packages/providers-zeta',
      'packages/sessions-zeta',
      'workspace',
      'known-models',
      'switch-matrix',
      'readmes',
    ]
    // The examples of the other READMEs are run where the workspace is tested.
    const named = '^(?!runs the example of packages/(?!\\w+-zeta$))'
    const words = [...files, '--update', '--reporter=verbose', '-t', named]
    const tests = await node('node_modules/vitest/vitest.mjs', 'run', ...words)
    expect(tests).toMatch(/Test Files .*6 passed/)
    for (const folder of ['packages/providers-zeta', 'packages/sessions-zeta']) {
      expect(tests).toMatch(new RegExp(`✓ .*runs the example of ${folder} `))
    }
    await node('node_modules/typescript/bin/tsc', '-b', 'packages/providers-zeta', 'packages/sessions-zeta')

    expect(textOf('packages/agentkit/src/models/provider-table.ts')).toContain("  zeta: ['ZETA_API_KEY'],\n")
    expect(textOf('docs/guides/providers.md')).toContain(
      '| Zeta | `@agentkit/providers-zeta` | `zeta/zeta-1` | `ZETA_API_KEY`; `ZETA_BASE_URL` |\n',
    )
    const { peerDependencies, devDependencies } = JSON.parse(textOf('packages/agentkit/package.json'))
    for (const dependencies of [peerDependencies, devDependencies]) {
      expect(dependencies['@agentkit/providers-zeta']).toBe('workspace:^')
    }
    expect(textOf('packages/agentkit/tsconfig.json')).toContain('"../providers-zeta"')
    expect(textOf('public-names.txt')).toContain('@agentkit/sessions-zeta\n  zetaSessions\n')
  }, 600_000)

  it.each([
    ['Acme', 'no name for a package'],
    ['../acme', 'no name for a package'],
    ['groq', 'there already'],
  ])('refuses %s, and writes nothing', (name, reason) => {
    expect(() => createPackage('provider', name)).toThrow(reason)
    expect(existsSync(join(root, 'packages', `providers-${name}`))).toBe(name === 'groq')
  })
})

function textOf(path: string): string {
  return readFileSync(join(copy, path), 'utf8')
}

async function node(...args: string[]): Promise<string> {
  const env = { ...plainEnvironment(), NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: copy, env })
  return stdout
}
