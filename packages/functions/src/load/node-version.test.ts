import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkNodeVersion } from './node-version.ts'

function refusalOf(version: string): string | undefined {
  let refusal: string | undefined
  checkNodeVersion(version, (message) => {
    refusal = message
  })
  return refusal
}

it.each(['18.20.8', '20.20.2', '22.17.1', '23.5.0'])(
  'refuses Node %s, and names the version that it needs',
  (version) => {
    expect(refusalOf(version)).toContain(`agentkit needs Node.js 22.18 or later, and this is ${version}.`)
  },
)

it.each(['22.18.0', '22.22.3', '23.6.0', '24.0.0', '26.1.0'])('accepts Node %s', (version) => {
  expect(refusalOf(version)).toBeUndefined()
})

it.each([
  ['Bun', { bun: '1.4.5' }],
  ['Deno', { deno: '2.9.6' }],
])('says on %s that its hooks do not work there, and how tools are made', (name, runtimes) => {
  let refusal = ''
  const end = (message: string): void => {
    refusal = message
  }
  checkNodeVersion('24.0.0', end, { node: '24.0.0', ...runtimes })
  expect(refusal).toContain(`which do not work on ${name}`)
  expect(refusal).toContain('npx agentkit tools build')
})

it("names the line of Yarn's configuration that replaces Plug'n'Play", () => {
  let refusal = ''
  const end = (message: string): void => {
    refusal = message
  }
  checkNodeVersion('24.0.0', end, { node: '24.0.0', pnp: '3' })
  expect(refusal).toContain("does not support Yarn's Plug'n'Play. Write `nodeLinker: node-modules` into .yarnrc.yml")
})

it('has the version of package.json, and imports nothing that an older Node may lack', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(engines.node).toBe('>=22.18')
  expect(readFileSync(new URL('node-version.ts', import.meta.url), 'utf8')).not.toMatch(/^import/m)
})

it('is all that register links before it checks', () => {
  const register = readFileSync(new URL('../register.ts', import.meta.url), 'utf8')
  const imports = [...register.matchAll(/^import .* from '(.*)'/gm)].map(([, from]) => from)
  expect(imports).toEqual(['./load/node-version.ts'])
})
