import { exec } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cliFolder, plainEnvironment } from '../../__fixtures__/cli-folder.ts'
import { hasTmux, Terminal } from '../../__fixtures__/terminal.ts'
import { toolVersions } from './manifest.ts'

const { folder, write, agentkit } = cliFolder()
const all = [
  '.env',
  '.env.example',
  '.gitignore',
  'AGENTS.md',
  'agent.test.ts',
  'agent.ts',
  'agentkit_config.toml',
  'package.json',
  'tsconfig.json',
]

function place(files: Record<string, string> = {}): { cwd: string; read(name: string): string } {
  const cwd = mkdtempSync(join(folder, 'place-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text)
  return { cwd, read: (name) => readFileSync(join(cwd, name), 'utf8') }
}

const init = (cwd: string, ...words: string[]) => agentkit(['init', ...words, '--no-install'], { cwd })

describe('agentkit init', () => {
  it('says first that Node is too old for what it has written', async () => {
    const old = write('old-node.mjs', "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })\n")
    const env = { NODE_OPTIONS: `--import ${pathToFileURL(old).href}` }
    const { code, out } = await agentkit(['init', '--no-install'], { cwd: place().cwd, env })
    expect(code).toBe(0)
    expect(out).toMatch(/\nInstall Node \d+\.\d+ or newer first: this is 20\.20\.2, .*\nInstall: npm install\n/)
  })

  it('writes a project, prints the defaults that it uses, and the next steps', async () => {
    const { cwd, read } = place()
    const { code, out, error } = await init(cwd)
    expect({ code, error }).toEqual({ code: 0, error: '' })
    expect(readdirSync(cwd).sort()).toEqual(all)
    expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600)
    expect(out).toContain('provider: openai (--provider openai|azure|')
    expect(out).toContain('template: agent (--template agent|swarm|files)')
    expect(out).toContain('package manager: npm (--pm npm|pnpm|yarn|bun)')
    expect(out).toMatch(/Talk with it: {2}npm run chat\nServe it: {6}npm run dev/)
    expect(JSON.parse(read('package.json'))).toMatchObject({
      type: 'module',
      scripts: { dev: 'agentkit dev', chat: 'agentkit chat', test: expect.stringContaining('--test') },
      dependencies: { agentkit: '0.0.0' },
      devDependencies: { '@agentkit/testing': '0.0.0', typescript: toolVersions.typescript },
    })
    expect(read('.env')).toBe('OPENAI_API_KEY=\n')
  })

  it.each([
    ['ünï 漢字', 'uni'],
    ['Café-Bot'.normalize('NFD'), 'cafe-bot'],
    ['漢字', 'agent'],
  ])('names the package of a folder %s %s', async (name, expected) => {
    const { cwd } = place()
    await init(cwd, name)
    expect(JSON.parse(readFileSync(join(cwd, name, 'package.json'), 'utf8')).name).toBe(expected)
  })

  it('names the variables to set where the model needs them, and is silent where they are set', async () => {
    const azure = await init(place().cwd, '--provider', 'azure', 'groq')
    expect(azure.out).toContain('\nPut AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT into .env first.')
    const env = { GROQ_API_KEY: 'gsk_0123456789abcdef' }
    const groq = await agentkit(['init', '--provider', 'groq', '--no-install'], { cwd: place().cwd, env })
    expect(groq.out).not.toContain('into .env')
  })

  it('writes no test for node --test where the project has a command for its tests', async () => {
    const { cwd, read } = place({ 'package.json': '{ "scripts": { "test": "vitest run" } }' })
    const { out } = await init(cwd)
    expect(existsSync(join(cwd, 'agent.test.ts'))).toBe(false)
    expect(out).toContain('the tests here run by "vitest run"')
    expect(read('AGENTS.md')).not.toContain('npm test')
  })

  it('has a test that a Node without TypeScript fails with the reason, though it finds no test there', async () => {
    const { cwd, read } = place()
    await init(cwd)
    rmSync(join(cwd, 'agent.test.ts')) // as such a Node sees it
    const installed = join(cwd, 'node_modules/agentkit')
    mkdirSync(installed, { recursive: true })
    const own = { name: 'agentkit', type: 'module', exports: { './register': './register.js' } }
    writeFileSync(join(installed, 'package.json'), JSON.stringify(own))
    writeFileSync(join(installed, 'register.js'), "throw new Error('agentkit needs Node.js 22.18 or later')")
    const { test } = JSON.parse(read('package.json')).scripts
    const { NODE_OPTIONS: _, ...env } = process.env
    const command = test.replaceAll(/\bnode\b/g, `"${process.execPath}"`)
    const failed = await promisify(exec)(command, { cwd, env }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('agentkit needs Node.js 22.18') })
  })

  it.each(['offline', 'anthropic'])('has a test that passes with the models of %s, without a key', async (provider) => {
    const { cwd } = place()
    await init(cwd, '--provider', provider, '--template', 'swarm')
    const { NODE_TEST_CONTEXT: _, ...env } = plainEnvironment()
    const command = `"${process.execPath}" --import agentkit/register --test`
    const { stdout } = await promisify(exec)(command, { cwd, env: { ...env, PWD: cwd } })
    expect(stdout).toMatch(/pass 3/)
  })

  it('quotes a folder whose name has a space', async () => {
    const { out } = await init(place().cwd, 'my agent')
    expect(out).toContain('cd "my agent" && npm install')
  })

  it('installs only the providers that are chosen, and names the model', async () => {
    const { cwd, read } = place()
    const { code } = await init(
      cwd,
      'my-agent',
      '--provider',
      'anthropic',
      'mistral',
      '--template',
      'files',
      '--pm',
      'yarn',
    )
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(read('my-agent/package.json')).dependencies)).toEqual([
      'agentkit',
      '@agentkit/providers-anthropic',
      '@agentkit/providers-mistral',
      '@agentkit/retriever',
    ])
    expect(read('my-agent/agentkit_config.toml')).toContain('model = "anthropic/claude-sonnet-5"')
    expect(read('my-agent/.env')).toBe('ANTHROPIC_API_KEY=\nMISTRAL_API_KEY=\n')
    expect(read('my-agent/.yarnrc.yml')).toBe('nodeLinker: node-modules\n')
    expect(existsSync(join(cwd, 'my-agent/files/handbook.md'))).toBe(true)
  })

  it('takes the package manager that runs it, and the provider of the model and of a key', async () => {
    const { cwd, read } = place()
    const env = { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24', GROQ_API_KEY: 'gsk_0123456789abcdef' }
    const { out } = await agentkit(['init', '--no-install'], { cwd, env })
    expect(out).toContain('provider: groq')
    // Groq shut its Llama models down on 2026-08-16.
    expect(out).toContain('model: groq/openai/gpt-oss-120b')
    expect(out).toContain('package manager: pnpm')
    // The lock file of the folder counts where npm runs the command, as npx does anywhere, and no other does.
    writeFileSync(join(cwd, 'package-lock.json'), '{}')
    writeFileSync(join(cwd, 'yarn.lock'), '')
    const npx = { npm_config_user_agent: 'npm/11.0.0 node/v24.0.0' }
    const locked = await agentkit(['init', '--no-install'], { cwd, env: npx })
    expect(locked.out).toContain('package manager: yarn')
    const below = await agentkit(['init', 'below', '--no-install'], { cwd, env: npx })
    expect(below.out).toContain('package manager: npm')
    const other = await init(place().cwd, '--model', 'gemini-flash-latest')
    expect(other.out).not.toContain('provider: ')
    expect(other.out).not.toContain('model: ')
    expect(read('.env')).toBe('GROQ_API_KEY=\n')
  })

  it('keeps existing files: package.json and .gitignore are extended, all others are listed', async () => {
    const manifest =
      '{\n\t"name": "mine",\n\t"type": "commonjs",\n\t"scripts": { "test": "vitest", "build": "tsc" },\n\t"dependencies": { "agentkit": "^1.0.0" }\n}\n'
    const { cwd, read } = place({
      'package.json': manifest,
      '.gitignore': 'dist\nnode_modules',
      'agent.ts': 'export {}\n',
      '.env': 'A=b\n',
    })
    const { code, out } = await init(cwd)
    expect(code).toBe(0)
    expect(read('agent.ts')).toBe('export {}\n')
    expect(read('.env')).toBe('A=b\n')
    expect(read('.gitignore')).toBe('dist\nnode_modules\n.env\nagentkit-data/\n')
    expect(read('package.json')).toMatch(/^\{\n\t"name": "mine"/)
    expect(JSON.parse(read('package.json'))).toMatchObject({
      type: 'module',
      scripts: { test: 'vitest', build: 'tsc', dev: 'agentkit dev' },
      dependencies: { agentkit: '^1.0.0' },
    })
    expect(out).toContain('Kept as they are: agent.ts, .env. (--force writes <name>.new)')
    expect(out).toContain('"type" was "commonjs", and is "module" now.')
    const before = read('package.json')
    const again = await init(cwd, '--force')
    expect(again.code).toBe(0)
    expect(read('agent.ts')).toBe('export {}\n')
    expect(read('agent.ts.new')).toContain('new Agent(')
    expect(read('package.json')).toBe(before)
    writeFileSync(join(cwd, 'agent.ts.new'), 'mine')
    const third = await init(cwd, '--force')
    expect(third.out).toMatch(/Kept as they are: .*agent\.ts\.new/)
    expect(third.out).not.toContain('Written in')
    expect(read('agent.ts.new')).toBe('mine')
  })

  it('names no script of the project as the command that serves the agent', async () => {
    const { cwd } = place({ 'package.json': '{ "scripts": { "dev": "vite" } }' })
    for (const { out } of [await init(cwd), await init(cwd)]) {
      expect(out).toMatch(/Talk with it: {2}npm run chat\nServe it: {6}npx agentkit dev\n/)
    }
  })

  it('makes a project of yarn below another one, which yarn would take for it, a project of its own', async () => {
    const { cwd } = place({ 'package.json': '{ "workspaces": ["packages/*"] }' })
    const { out } = await init(cwd, 'mine', '--pm', 'yarn')
    expect(out).toContain('yarn.lock')
    expect(readFileSync(join(cwd, 'mine/yarn.lock'), 'utf8')).toBe('')
    await init(cwd, 'packages/ours', '--pm', 'yarn')
    expect(existsSync(join(cwd, 'packages/ours/agent.ts'))).toBe(true)
    expect(existsSync(join(cwd, 'packages/ours/yarn.lock'))).toBe(false)
  })

  it.each([
    ['an unknown provider', ['--provider', 'antropic'], 'Did you mean "anthropic"?'],
    ['an unknown template', ['--template', 'swrm'], 'Did you mean "swarm"?'],
    ['an unknown package manager', ['--pm', 'pnmp'], 'Did you mean "pnpm"?'],
    ['an unknown provider of a model', ['--model', 'opnai/gpt-5'], 'Did you mean "openai/gpt-5"?'],
    ['a folder that is a file', ['package.json'], '"package.json" is a file.'],
    ['a folder in a file', ['package.json/mine'], '"package.json" is a file.'],
    ['a package.json that is not JSON', ['.'], 'package.json cannot be extended'],
    ['an unknown option', ['--templat', 'x'], '(Did you mean --template?)'],
  ])('refuses %s with 2, and writes nothing', async (_, words, problem) => {
    const { cwd } = place({ 'package.json': '{ "name": ' })
    const { code, error } = await init(cwd, ...words)
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(problem) })
    expect(readdirSync(cwd)).toEqual(['package.json'])
  })

  it('keeps the files when the install fails, and prints the command', async () => {
    const { cwd } = place()
    const { code, out, error } = await agentkit(['init', 'here', '--pm', 'bun'], { cwd, env: { PATH: cwd } })
    expect(code).toBe(1)
    expect(error).toContain('The files are written.')
    expect(out).toContain('Install: cd here && bun install')
    expect(existsSync(join(cwd, 'here/agent.ts'))).toBe(true)
  })

  it.skipIf(process.platform === 'win32')('installs by yarn in CI, of the registry that npm has', async () => {
    const { cwd } = place()
    const print = `#!/bin/sh
[ "$1" = --version ] && echo 4.18.1 && exit
echo "$1: $YARN_ENABLE_IMMUTABLE_INSTALLS $YARN_NPM_REGISTRY_SERVER $YARN_UNSAFE_HTTP_WHITELIST $YARN_NPM_PREAPPROVED_PACKAGES"
`
    writeFileSync(join(cwd, 'yarn'), print, { mode: 0o755 })
    const env = { PATH: cwd, CI: 'true', npm_config_registry: 'http://127.0.0.1:4873/' }
    const { code, out } = await agentkit(['init', 'here', '--pm', 'yarn'], { cwd, env })
    expect(out).toContain('\ninstall: false http://127.0.0.1:4873 127.0.0.1 agentkit,@agentkit/*\n')
    expect(code).toBe(0)
  })

  it('checks a new project with the tools that this repository has', () => {
    const root = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../../package.json'), 'utf8'))
    const functions = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../functions/package.json'), 'utf8'))
    const own = { ...root.devDependencies, 'ts-morph': functions.devDependencies['ts-morph'] }
    for (const [name, version] of Object.entries(toolVersions))
      expect({ [name]: own[name] }).toEqual({ [name]: version })
  })
})

describe.skipIf(!hasTmux)('agentkit init in a terminal', { timeout: 60_000 }, () => {
  it('asks, and writes the chosen project', async () => {
    const { cwd, read } = place()
    using terminal = new Terminal(['init', '--no-install'], { cwd })
    await terminal.shows('openai (OPENAI_API_KEY)')
    expect(readdirSync(cwd)).toEqual([])
    terminal.press('Enter')
    await terminal.shows('What is the agent?')
    terminal.press('Down', 'Enter')
    await terminal.shows('Which package manager?')
    terminal.press('Enter')
    await terminal.shows('ended with 0')
    expect(read('agent.ts')).toContain('new Swarm(')
  })

  it('writes nothing when the user leaves', async () => {
    const { cwd } = place()
    using terminal = new Terminal(['init'], { cwd })
    await terminal.shows('Whose models?')
    terminal.press('C-c')
    await terminal.shows('ended with 130')
    expect(readdirSync(cwd)).toEqual([])
  })
})
