import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type FakeProvider, fakeProvider } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackages, builtEnvironment } from './scripts/built/index.ts'
import { published } from './scripts/pack-packages.ts'
import { root } from './scripts/workspace-files.ts'

const packages = published()
/** Their examples call what a test has not. */
const typedOnly: Record<string, string> = {
  'packages/ai-sdk': 'it calls OpenAI by the AI SDK',
  'packages/mcp': 'it installs a server from the registry',
}
/** For the provider packages alone, as its README says. */
const withoutExample = ['packages/wire']
const shown = packages.filter(({ folder }) => !withoutExample.includes(folder))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-readmes-')))
let provider: FakeProvider

beforeAll(buildPackages)
beforeAll(async () => {
  provider = await fakeProvider(
    'openai-chat',
    Array.from({ length: 9 }, () => ({ text: 'Oslo.' })),
  )
  const others = ['ai', '@ai-sdk/openai'].map((name) => [name, join(root, 'docs/examples/node_modules', name)])
  const own = packages.map(({ folder, manifest }) => [manifest.name, join(root, folder)])
  const compiler = ['ts-morph', join(root, 'packages/functions/node_modules/ts-morph')]
  for (const [name = '', path = ''] of [...own, ...others, compiler]) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(path, link, 'junction')
  }
  mkdirSync(join(folder, 'handbook'))
  writeFileSync(join(folder, 'handbook/holiday.md'), '# Holiday\n\nEach of us has 30 days of holiday.\n')
  mkdirSync(join(folder, 'skills'))
  writeFileSync(
    join(folder, 'skills/SKILL.md'),
    '---\nname: refunds\ndescription: Gives money back.\n---\nAsk first.\n',
  )
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = {
    ...{ noEmit: true, customConditions: ['@agentkit/source'] },
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  for (const each of shown) writeFileSync(join(folder, fileOf(each.folder)), (await exampleOf(each.folder)) ?? '')
})
afterAll(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('a README', () => {
  it.each(packages)('of $folder says how to install it', async ({ folder: place, manifest }) => {
    expect(await readFile(join(root, place, 'README.md'), 'utf8')).toMatch(
      new RegExp(`^npm i (?:-D )?(?:.* )?${manifest.name}(?: |$)`, 'm'),
    )
  })

  it.each(shown)('of $folder installs the packages that its example imports', async ({ folder: place }) => {
    const readme = await readFile(join(root, place, 'README.md'), 'utf8')
    const installed = [...readme.matchAll(/^npm i (.*)$/gm)].flatMap(([, words = '']) => words.split(' '))
    for (const [, name] of ((await exampleOf(place)) ?? '').matchAll(/ from '((?:@[\w-]+\/)?[\w-]+)/g)) {
      expect(installed).toContain(name)
    }
  })

  it.each(shown)('of $folder has an example of at most 10 lines', async ({ folder: place }) => {
    const lines = ((await exampleOf(place)) ?? '').split('\n').filter((line) => line.trim() !== '')
    expect(lines.length).toBeGreaterThan(1)
    expect(lines.length).toBeLessThanOrEqual(10)
  })
})

it.each(shown.filter(({ folder }) => !(folder in typedOnly)))('runs the example of $folder', async (each) => {
  const register = each.folder === 'packages/functions' ? ['--import', '@agentkit/functions/register'] : []
  const keys = ['OPENAI', 'ANTHROPIC', 'MISTRAL', 'GROQ', 'GEMINI', 'GOOGLE', 'AZURE_OPENAI']
  const env = {
    ...builtEnvironment(),
    ...Object.fromEntries(keys.map((name) => [`${name}_API_KEY`, 'none'])),
    ...{ OPENAI_BASE_URL: provider.url, AZURE_OPENAI_ENDPOINT: 'https://127.0.0.1:1' },
  }
  const ran = promisify(execFile)(process.execPath, [...register, fileOf(each.folder)], { cwd: folder, env })
  const { stderr } = await ran.catch((error: Error & { stderr: string }) => ({ stderr: `${error.message}` }))
  expect(stderr).not.toMatch(/Error|failed/)
})

it('compiles all of them', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const checked = promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'])
  const { stdout } = await checked.catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

/** `packages/core` → `core.ts` */
function fileOf(place: string): string {
  return `${place.replace('packages/', '')}.ts`
}

/** The first TypeScript of a README. */
async function exampleOf(place: string): Promise<string | undefined> {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(await readFile(join(root, place, 'README.md'), 'utf8')) ?? []
  return code
}
