import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const project = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-project-')))

const files = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2024" } }',
  'agentkit_config.toml': '[defaults]\ntemperature = 1\n[other]\n[another]\n',
  'vitest.config.ts': `import { agentkitTools } from 'agentkit/unplugin'
export default {
  plugins: [agentkitTools.vite({ include: 'src/**/*.ts' })],
  resolve: { conditions: ['@agentkit/source'] },
  ssr: { resolve: { conditions: ['@agentkit/source'] } },
}`,
  'src/weather.ts': `/**
 * The weather in a city.
 * @param city Its name.
 */
export function weather(city: string): string {
  return \`Sunny in \${city}\`
}

/** No tool: nothing in the tests uses it as one. */
export function onRain(callback: () => void): void {
  callback()
}`,
  'src/weather.test.ts': `import { scriptedModel } from '@agentkit/testing'
import { Agent, SDKContext } from 'agentkit'
import { expect, it, vi } from 'vitest'
import { weather } from './weather.ts'

const turns = [{ toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }, 'Sunny.']

it('reads no configuration', async () => {
  const model = scriptedModel(turns)
  const agent = new Agent({ name: 'Test', functions: [weather], model, sessions: ':memory:' })
  expect(await agent.chat('Oslo?')).toBe('Sunny.')
  expect(JSON.stringify(model.requests[1]?.messages)).toContain('Sunny in Oslo')
  expect(model.requests[0]).not.toHaveProperty('temperature')
})

it('says so where no model is named', () => {
  vi.stubEnv('OPENAI_API_KEY', '')
  vi.stubEnv('LLMPROVIDER_API_KEY', '')
  expect(() => new Agent({ name: 'Test' })).toThrow('Tests do not read agentkit_config.toml')
})

it('reads the requested table, without a warning about other tables', async () => {
  const model = scriptedModel(turns)
  const sdkContext = new SDKContext({ configPath: 'agentkit_config.toml' })
  const agent = new Agent({ name: 'Test', functions: [weather], model, sessions: ':memory:', sdkContext })
  await agent.chat('Oslo?')
  expect(model.requests[0]).toHaveProperty('temperature', 1)
  expect(sdkContext.warnings).toEqual([])
})
`,
  'node.test.mjs': `import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
const model = scriptedModel(['Hello'])
await new Agent({ name: 'Test', model, sessions: ':memory:' }).chat('Hi')
console.log('temperature' in model.requests[0])
`,
}

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'), 'junction')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

it('lets the tests of a project call plain functions, apart from its configuration', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout, stderr } = await run(vitest, ['run', '--root', project, 'src'])
  expect(stdout).toContain('3 passed')
  expect(stdout + stderr).not.toContain('belongs to no agent')
})

it('reads the configuration in a process that is not a test', async () => {
  expect((await run(join(project, 'node.test.mjs'))).stdout).toBe('true\n')
  const inTests = { NODE_TEST_CONTEXT: 'child-v8', PWD: project }
  expect((await run(join(project, 'node.test.mjs'), [], inTests)).stdout).toBe('false\n')
})

async function run(script: string, args: string[] = [], environment = {}): Promise<{ stdout: string; stderr: string }> {
  const { VITEST: _, TEST: __, NODE_ENV: ___, ...outer } = process.env
  const env = { ...outer, ...environment, NO_COLOR: '1' }
  return await promisify(execFile)(process.execPath, [script, ...args], { cwd: project, env }).catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
}
