import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createRetriever } from '@agentkit/retriever'
import { sqliteSessions } from '@agentkit/sessions'
import { afterEach, describe, expect, it } from 'vitest'
import { type Call, cliFolder } from '../../__fixtures__/cli-folder.ts'

const { folder, write, agentkit } = cliFolder()
const ids = 'node package-type packages config env keys models providers store index mcp server telemetry disk'.split(
  ' ',
)

type Check = { id: string; status: string; detail: string; fix?: string; file?: string; line?: number }
type Report = { ok: boolean; checks: Check[] }

let count = 0
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A port that any server may take, so that other tests do not change what the server's check finds. */
const anyPort = { 'agentkit_config.toml': '[server]\nport = 0\n' }

/** A project that is in order, apart from these files. */
function project(files: Record<string, string> = {}): { cwd: string; path(name: string): string } {
  const name = `project-${++count}`
  const cwd = join(folder, name)
  for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...anyPort, ...files }))
    write(join(name, file), text)
  return { cwd, path: (file) => join(cwd, file) }
}

/** Unless a test asks for providers. */
const offline = ['--offline']
type DoctorCall = Call & { words?: string[] }

/** The findings. */
async function doctor(cwd: string, call: DoctorCall = {}): Promise<Report & { code: number | null }> {
  const { code, out } = await agentkit(['doctor', '--json', ...(call.words ?? offline)], { ...call, cwd })
  const report: Report = JSON.parse(out)
  expect(report.checks.map(({ id }) => id)).toEqual(ids)
  expect(report.ok).toBe(report.checks.every(({ status }) => status !== 'fail'))
  expect(code).toBe(report.ok ? 0 : 1)
  return { ...report, code }
}

/** The findings as JSON and as text, which agree. */
async function doctorTwice(cwd: string, call: DoctorCall = {}): Promise<Report & { text: string }> {
  // One after the other: both try the port.
  const report = await doctor(cwd, call)
  const { code, out: text } = await agentkit(['doctor', ...(call.words ?? offline)], { ...call, cwd })
  expect(code).toBe(report.code)
  for (const { id, status, detail, fix } of report.checks) {
    // The free space changes, and so does a port that other tests use.
    if (id !== 'disk' && id !== 'server') expect(text).toContain(`${status.padEnd(7)}  ${id.padEnd(12)}  ${detail}`)
    if (fix !== undefined) expect(text).toContain(`fix: ${fix}`)
  }
  return { ...report, text }
}

function found({ checks }: Report, id: string): Check | undefined {
  return checks.find((check) => check.id === id)
}

/** A provider that answers every request in this way. */
async function provider(
  status: number,
  body: unknown,
): Promise<{ url: string; paths: string[]; headers: IncomingHttpHeaders[] }> {
  const paths: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`)
    headers.push(request.headers)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths, headers }
}

const key = 'sk-proj-0123456789abcdef0123456789'

describe('agentkit doctor', () => {
  it('finds nothing wrong in a project that is in order, and changes nothing', async () => {
    const { url, paths } = await provider(200, { data: [{ id: 'gpt-5.4-mini' }] })
    const { cwd, path } = project({
      'agentkit_config.toml': '[defaults]\nmodel = "openai/gpt-5.4-mini"\nretrieve = true\n[server]\nport = 0\n',
      '.env': '',
      'docs/a.md': '# A\n\nB.\n',
    })
    writeFileSync(
      path('agentkit_config.toml'),
      `${readFileSync(path('agentkit_config.toml'))}[retriever]\nfolder = "docs"\n`,
    )
    chmodSync(path('.env'), 0o600)
    const store = sqliteSessions(path('agentkit-data/sessions.db'))
    await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
    await store.close()
    const before = snapshot(cwd)
    const report = await doctorTwice(cwd, { words: [], env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` } })
    expect(report.checks.filter(({ status }) => !['ok', 'skipped'].includes(status))).toEqual([])
    expect(report.ok).toBe(true)
    expect(found(report, 'models')?.detail).toMatch(/tokens, \$[\d.]+ and \$[\d.]+ per million \(\d{4}-\d\d-\d\d\)/)
    expect(found(report, 'providers')?.detail).toContain('accepts the key, and has gpt-5.4-mini')
    // No model was called.
    expect(new Set(paths)).toEqual(new Set(['GET /v1/models']))
    expect(JSON.stringify(report)).not.toContain(key)
    expect(snapshot(cwd)).toEqual(before)
  })

  it('shows no part of a key at which a finding is cut off', async () => {
    const { cwd } = project({ 'agentkit_config.toml': `[defaults]\nmodel = "${'x'.repeat(1_938)} ${key}/y"\n` })
    const detail = found(await doctor(cwd), 'config')?.detail
    expect(detail).toHaveLength(2_000)
    expect(detail).not.toContain('sk-')
  })

  it('names a wrong key', async () => {
    const { url } = await provider(401, { error: { message: `Incorrect API key: ${key}` } })
    const { cwd } = project({ 'agentkit_config.toml': '[defaults]\nmodel = "openai/gpt-5.4-mini"\n' })
    const report = await doctorTwice(cwd, { words: [], env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` } })
    expect(found(report, 'providers')).toMatchObject({
      status: 'fail',
      detail: 'openai refuses the key in OPENAI_API_KEY (401).',
      fix: 'Correct OPENAI_API_KEY in .env.',
    })
    expect(report.text).not.toContain(key)
  })

  it.each([
    [
      'ANTHROPIC_API_KEY',
      '',
      'fail',
      'No key for anthropic, which "anthropic/claude-sonnet-5" needs: set ANTHROPIC_API_KEY.',
    ],
    ['ANTHROPIC_API_KEY', key, 'fail', 'ANTHROPIC_API_KEY holds a key of openai, not of anthropic.'],
    ['ANTHROPIC_API_KEY', '"sk-ant-0123456789abcdef"', 'fail', 'ANTHROPIC_API_KEY has quotes around the key.'],
    ['ANTHROPIC_API_KEY', 'sk-ant-your-key', 'fail', 'ANTHROPIC_API_KEY holds an example instead of a key.'],
    [
      'ANTHROPIC_API_KEY',
      'abcdef0123456789abcdef',
      'warn',
      'ANTHROPIC_API_KEY does not begin with sk-ant-, as keys of anthropic do.',
    ],
  ])('names a key that is no key: %s=%s', async (name, value, status, detail) => {
    const { cwd } = project({ 'agentkit_config.toml': '[defaults]\nmodel = "anthropic/claude-sonnet-5"\n' })
    const { out } = await agentkit(['doctor', '--json', '--offline'], { cwd, env: { [name]: value } })
    expect(found(JSON.parse(out), 'keys')).toMatchObject({ status, detail })
    if (value !== '') expect(out).not.toContain(value)
  })

  it('skips the checks of a configuration that cannot be read', async () => {
    const toml = '[defaults]\ntimeout = "1 minute"\n[mcp.files]\ncommand = "files"\n[server]\nport = 9000\n'
    const report = await doctorTwice(project({ 'agentkit_config.toml': toml }).cwd)
    for (const id of ['models', 'index', 'mcp', 'server', 'telemetry']) {
      expect(found(report, id)).toMatchObject({ status: 'skipped', detail: 'The configuration cannot be read.' })
    }
  })

  it('names wrong TOML, a wrong value and an unknown key, with their lines', async () => {
    const broken = await doctorTwice(
      project({ 'agentkit_config.toml': '[defaults]\nmodel = "offline/extractive\n' }).cwd,
    )
    expect(found(broken, 'config')).toMatchObject({
      status: 'fail',
      file: 'agentkit_config.toml',
      line: 2,
      fix: 'Correct line 2 of agentkit_config.toml.',
    })
    expect(found(broken, 'config')?.detail).toContain('agentkit_config.toml:2: invalid TOML')
    expect(found(broken, 'keys')).toMatchObject({ status: 'skipped', detail: 'The configuration cannot be read.' })
    const wrong = await doctorTwice(project({ 'agentkit_config.toml': '[defaults]\ntimeout = "1 minute"\n' }).cwd)
    expect(found(wrong, 'config')).toMatchObject({ status: 'fail', line: 2 })
    const unknown = await doctorTwice(
      project({ 'agentkit_config.toml': '[defaults]\ntimout = 3\n[server]\nport = 0\n' }).cwd,
    )
    expect(found(unknown, 'config')).toMatchObject({
      status: 'warn',
      line: 2,
      detail: expect.stringContaining('Did you mean "timeout"?'),
    })
    expect(unknown.ok).toBe(true)
  })

  it('names what agents have in the configuration and is not there: servers of MCP, skills', async () => {
    const servers = '[clerk]\nmcp = ["fils"]\n[mcp.files]\nurl = "http://127.0.0.1:9/"\n'
    const files = {
      'agentkit_config.toml': `${servers}[defaults]\nskills = ["./skills", "./nowhere", "./empty"]\n[server]\nport = 0\n`,
      'skills/refunds/SKILL.md': '---\nname: refunds\ndescription: Gives money back.\n---\n\nAsk for the number.\n',
      'empty/notes.txt': 'No skill.',
    }
    const { cwd } = project(files)
    const report = await doctor(cwd)
    expect(found(report, 'config')).toMatchObject({ status: 'fail', file: 'agentkit_config.toml' })
    const detail = found(report, 'config')?.detail
    expect(detail).toContain('`mcp` names the server "fils", which has no table. Did you mean "files"?')
    expect(detail).toContain('nowhere is not there. Pass a folder of skills.')
    expect(detail).toContain('empty')
    expect(detail).not.toContain('refunds')
    expect(readdirSync(cwd)).not.toContain('agentkit-skills.lock.json')
  })

  it('knows the stand-in, beside a model of a provider', async () => {
    const toml = '[clerk]\nmodel = ["offline/extractive", "mistral/mistral-large-2512"]\n'
    const report = await doctor(project({ 'agentkit_config.toml': toml }).cwd)
    expect(found(report, 'models')).toMatchObject({
      status: 'ok',
      detail: expect.stringMatching(/^offline\/extractive: .*mistral\/mistral-large-2512: /s),
    })
  })

  it('names two tables of one agent', async () => {
    const toml = '[defaults]\nmodel = "offline/extractive"\n[my-agent]\n["My Agent"]\n[server]\nport = 0\n'
    const report = await doctor(project({ 'agentkit_config.toml': toml }).cwd)
    expect(found(report, 'config')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('["My Agent"] and [my-agent] both belong to an agent of that name'),
    })
  })

  it('names a table that is probably misspelt', async () => {
    const toml = '[default]\nmodel = "offline/extractive"\n[map]\n[server]\nport = 0\n'
    const report = await doctor(project({ 'agentkit_config.toml': toml }).cwd)
    expect(found(report, 'config')).toMatchObject({
      status: 'warn',
      detail: 'agentkit_config.toml: [default] is the table of an agent "default". Did you mean [defaults]?',
    })
  })

  it.each([
    ['url = "ftp://example.com"', '`url` is not an address that begins with https:// or http://.'],
    [
      'url = "https://example.com"',
      '`secret_env` is missing. Set it to the name of the variable that holds the secret.',
    ],
    [
      'url = "https://example.com"\nsecret_env = "HOOK_SECRET"',
      'The environment variable HOOK_SECRET, which `secret_env` names, is not set. Set it to the secret.',
    ],
  ])('names a webhook that cannot be used: %s', async (lines, problem) => {
    const { cwd } = project({ 'agentkit_config.toml': `timout = 3\n[server]\nport = 0\n[webhooks]\n${lines}\n` })
    expect(found(await doctor(cwd), 'config')).toEqual({
      id: 'config',
      status: 'fail',
      file: 'agentkit_config.toml',
      fix: 'Correct agentkit_config.toml.',
      detail: expect.stringContaining(`agentkit_config.toml: [webhooks]: ${problem}`),
    })
    const set = { env: { HOOK_SECRET: 'a-secret-of-the-test' } }
    if (lines.includes('HOOK_SECRET')) expect(found(await doctor(cwd, set), 'config')?.status).toBe('warn')
  })

  it('says how to make a .env readable', async () => {
    const { cwd, path } = project()
    writeFileSync(path('.env'), Buffer.from('\ufeffA=1\n', 'utf16le'))
    const fail = { status: 'fail', file: '.env' }
    expect(found(await doctor(cwd), 'env')).toMatchObject({ ...fail, fix: 'Save .env as UTF-8.' })
    rmSync(path('.env'))
    mkdirSync(path('.env'))
    expect(found(await doctor(cwd), 'env')).toMatchObject({ ...fail, fix: 'mv .env .env.old' })
  })

  it('names a package.json of CommonJS', async () => {
    const report = await doctor(project({ 'package.json': '{ "type": "commonjs" }' }).cwd)
    expect(found(report, 'package-type')).toMatchObject({
      status: 'fail',
      fix: 'npm pkg set type=module',
      file: 'package.json',
    })
    const broken = await doctor(project({ 'package.json': '{\n  "type": "module",\n}' }).cwd)
    expect(found(broken, 'package-type')).toMatchObject({
      status: 'fail',
      fix: 'Correct line 3 of package.json.',
      line: 3,
    })
  })

  it('names an old Node', async () => {
    const old = write('old-node.mjs', "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })\n")
    const report = await doctor(project().cwd, { env: { NODE_OPTIONS: `--import=${old}` } })
    expect(found(report, 'node')).toMatchObject({
      status: 'fail',
      fix: 'nvm install 24',
      detail: expect.stringMatching(/^Node 20\.20\.2 runs this, and agentkit needs 22\.18/),
    })
  })

  it('names a port that is in use', async () => {
    const { url } = await provider(200, {})
    const report = await doctor(project({ 'agentkit_config.toml': `[server]\nport = ${new URL(url).port}\n` }).cwd)
    expect(found(report, 'server')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('is in use'),
      fix: expect.stringContaining('[server]'),
    })
  })

  it('names a server that others can reach without a token', async () => {
    const report = await doctor(project({ 'agentkit_config.toml': '[server]\nhost = "0.0.0.0"\n' }).cwd)
    expect(found(report, 'server')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('auth_tokens_env'),
    })
  })

  it('names a missing package, and one of another version', async () => {
    const { cwd } = project({
      'agentkit_config.toml': '[a]\nmodel = "offline/extractive"\nretrieve = true\nretrieval_tool = "localstore"\n',
      'pnpm-lock.yaml': '',
      'node_modules/@agentkit/mcp/package.json': '{ "version": "0.0.9" }',
    })
    const report = await doctor(cwd)
    expect(found(report, 'packages')).toMatchObject({
      status: 'fail',
      fix: 'pnpm add @lancedb/lancedb @agentkit/mcp@0.0.0',
    })
    expect(found(report, 'packages')?.detail).toContain('The package @lancedb/lancedb is not installed')
    expect(found(report, 'packages')?.detail).toContain('@agentkit/mcp is of version 0.0.9')
  })

  it("names the setting of Yarn where its Plug'n'Play has installed the packages", async () => {
    const { cwd } = project({
      // As Yarn's loader does; the packages are then in no folder `node_modules`.
      'pnp.mjs': "Object.defineProperty(process, 'versions', { value: { ...process.versions, pnp: '3' } })",
      'package.json': '{ "type": "module", "dependencies": { "@agentkit/none": "1.0.0" } }',
    })
    const report = await doctor(cwd, { env: { NODE_OPTIONS: '--import ./pnp.mjs' } })
    expect(found(report, 'packages')).toMatchObject({
      status: 'fail',
      detail: "Yarn's Plug'n'Play has installed the packages: agentkit does not support it.",
      fix: 'yarn config set nodeLinker node-modules && yarn install',
    })
  })

  it('names packages that are listed and not installed', async () => {
    const { cwd } = project({ 'package.json': '{ "type": "module", "dependencies": { "@agentkit/none": "1.0.0" } }' })
    expect(found(await doctor(cwd), 'packages')).toMatchObject({
      status: 'fail',
      detail: 'package.json lists @agentkit/none, which is not installed.',
      fix: 'npm install',
    })
  })

  it.each([
    ['of garbage', (path: string) => writeFileSync(path, 'this is no database, and never was one\n'.repeat(40))],
    ['with a damaged page', damage],
  ])('names a corrupt store %s', async (_, spoil) => {
    const { cwd, path } = project()
    const store = sqliteSessions(path('agentkit-data/sessions.db'))
    await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
    await store.close()
    spoil(path('agentkit-data/sessions.db'))
    const report = await doctor(cwd)
    expect(found(report, 'store')).toMatchObject({
      status: 'fail',
      fix: 'mv agentkit-data/sessions.db agentkit-data/sessions.db.damaged',
      detail: expect.not.stringContaining('***'),
    })
  })

  const files = '[a]\nmodel = "offline/extractive"\nretrieve = true\n[retriever]\nfolder = "docs"\n'

  async function indexed(embedderId?: string): Promise<{ cwd: string; path(name: string): string }> {
    const { cwd, path } = project({
      'agentkit_config.toml': files,
      'docs/a.md': '# Holidays\n\nThirty days.\n',
      'docs/b.pdf': '%PDF-1.4 broken',
    })
    const embed = async (texts: string[]): Promise<Float32Array[]> => texts.map(() => Float32Array.of(1, 0))
    const retriever = createRetriever({
      folder: path('docs'),
      indexPath: path('agentkit-data/index'),
      ...(embedderId !== undefined && { embedder: { id: embedderId, dimensions: 2, embed } }),
    })
    await retriever.sync()
    await retriever.tidied()
    await retriever.close()
    return { cwd, path }
  }

  it('names files that cannot be read, and leaves the index as it is', async () => {
    const { cwd } = await indexed()
    const before = snapshot(cwd)
    const report = await doctor(cwd)
    expect(found(report, 'index')).toMatchObject({
      status: 'warn',
      fix: 'npx agentkit index status',
      detail: expect.stringContaining('1 of 2 files cannot be read: b.pdf'),
    })
    expect(snapshot(cwd)).toEqual(before)
  })

  it('names the agent whose index it means, where several have files', async () => {
    const { cwd, path } = await indexed()
    writeFileSync(
      path('agentkit_config.toml'),
      files.replace('[retriever]', '[b]\nrequired_exts = [".md"]\n[retriever]'),
    )
    expect(found(await doctor(cwd), 'index')).toMatchObject({ fix: 'npx agentkit index status' })
    writeFileSync(path('agentkit_config.toml'), files.replace('[retriever]', '[b]\nretrieve = true\n[retriever]'))
    expect(found(await doctor(cwd), 'index')).toMatchObject({ fix: 'npx agentkit index status --agent "a"' })
  })

  it('names a corrupt index', async () => {
    const { cwd, path } = await indexed()
    const [name = ''] = readdirSync(path('agentkit-data/index/basic')).filter((one) => one.endsWith('.db'))
    writeFileSync(path(`agentkit-data/index/basic/${name}`), 'this is no database\n'.repeat(400))
    const report = await doctor(cwd)
    expect(found(report, 'index')).toMatchObject({ status: 'fail', fix: expect.stringContaining('npx agentkit index') })
    const lock = readdirSync(path('agentkit-data/index'), { recursive: true }).find((one) => /lock\.db$/.test(`${one}`))
    writeFileSync(path(`agentkit-data/index/${lock}`), 'this is no database')
    const locked = await doctor(cwd)
    expect(found(locked, 'index')).toMatchObject({ status: 'fail', fix: `rm agentkit-data/index/${lock}` })
  })

  it('names an embedding model that differs from the model of the index', async () => {
    const { cwd, path } = await indexed('openai/text-embedding-3-small')
    writeFileSync(path('agentkit_config.toml'), `${files}[embedding]\nprovider = "mistral"\n`)
    const report = await doctor(cwd, { env: { MISTRAL_API_KEY: 'abcdef0123456789abcdef0123456789' } })
    expect(found(report, 'index')).toMatchObject({
      status: 'warn',
      fix: 'npx agentkit index',
      detail: expect.stringContaining(
        'was made with openai/text-embedding-3-small, and the configuration has mistral/mistral-embed',
      ),
    })
  })

  it('names an embedding model that cannot be', async () => {
    const { cwd } = project({
      'agentkit_config.toml': `${files}[embedding]\nprovider = "anthropic"\n`,
      'docs/a.md': '# A\n',
    })
    expect(found(await doctor(cwd), 'index')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('anthropic has no embeddings'),
    })
  })

  it('checks the model of [defaults] too, which an agent without a table has', async () => {
    const { cwd } = project({
      'agentkit_config.toml':
        '[server]\nport = 0\n[defaults]\nmodel = "mistral/mistral-large-2512"\n[clerk]\nmodel = "offline/extractive"\n',
    })
    expect(found(await doctor(cwd), 'keys')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('set MISTRAL_API_KEY'),
    })
  })

  it('names the key of an embedding model, and one that its provider does not have', async () => {
    const { url } = await provider(200, { data: [{ id: 'text-embedding-3-small' }] })
    const { cwd } = project({
      'agentkit_config.toml': `${files}[embedding]\nmodel = "openai/text-embeding-3-small"\n`,
      'docs/a.md': '# A\n',
    })
    const keyless = await doctor(cwd)
    expect(found(keyless, 'keys')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('No key for openai, which "openai/text-embeding-3-small" needs'),
    })
    const env = { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1` }
    const report = await doctor(cwd, { words: [], env })
    expect(found(report, 'providers')).toMatchObject({
      status: 'warn',
      detail: expect.stringContaining('Did you mean "text-embedding-3-small"?'),
    })
  })

  it('quotes the paths of its commands, as a folder may have spaces', async () => {
    const { cwd } = project({
      'agentkit_config.toml': files.replace('docs', 'my files'),
      'my data/sessions.db': 'no database, but some text that is long enough to be one',
    })
    const words = ['--offline', '--sessions', 'my data/sessions.db']
    const report = await doctor(cwd, { words })
    expect(found(report, 'index')).toMatchObject({ status: 'warn', fix: "mkdir -p 'my files'" })
    expect(found(report, 'store')).toMatchObject({
      status: 'fail',
      fix: "mv 'my data/sessions.db' 'my data/sessions.db.damaged'",
    })
  })

  it.skipIf(process.platform === 'win32')('names a folder that cannot be read', async () => {
    const { cwd, path } = project({ 'agentkit_config.toml': files })
    // Also for the superuser, whom permissions do not stop.
    symlinkSync('docs', path('docs'))
    const report = await doctor(cwd)
    expect(found(report, 'index')).toMatchObject({
      status: 'fail',
      detail: 'The folder docs cannot be read (ELOOP).',
      fix: 'chmod u+rx docs',
    })
    writeFileSync(path('agentkit-data'), '')
    const data = await doctor(cwd)
    expect(found(data, 'disk')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('agentkit-data is a file'),
    })
    expect(found(data, 'store')).toMatchObject({ status: 'fail', detail: expect.stringContaining('is a file') })
  })

  it('names a wrong address of Ollama, and a model that it does not have', async () => {
    const config = (url: string): string => `[defaults]\nmodel = "ollama/llama3"\nollama_server_url = "${url}"\n`
    const { cwd, path } = project({ 'agentkit_config.toml': config('http://127.0.0.1:9') })
    const gone = await doctor(cwd, { words: [] })
    expect(found(gone, 'providers')).toMatchObject({
      status: 'fail',
      fix: 'ollama serve',
      detail: expect.stringContaining('ollama does not answer at http://127.0.0.1:9: '),
    })
    const { url } = await provider(200, { models: [{ name: 'llama3.2:latest' }] })
    writeFileSync(path('agentkit_config.toml'), config(url))
    const missing = await doctor(cwd, { words: [] })
    expect(found(missing, 'providers')).toMatchObject({ status: 'fail', fix: 'ollama pull llama3' })
  })

  it('sends the user and the password in an address of Ollama as a header, and shows no password of an address', async () => {
    const { url, headers } = await provider(200, { models: [{ name: 'llama3:latest' }] })
    const withUser = url.replace('//', '//ada:pass%20word@')
    const config = `[defaults]\nmodel = "ollama/llama3"\nollama_server_url = "${withUser}"\n`
    const { cwd, path } = project({ 'agentkit_config.toml': config })
    expect(found(await doctor(cwd, { words: [] }), 'providers')).toMatchObject({ status: 'ok' })
    expect(headers.at(-1)?.authorization).toBe(`Basic ${btoa('ada:pass word')}`)

    writeFileSync(path('agentkit_config.toml'), '[defaults]\nmodel = "openai/gpt-5.4-mini"\n')
    const report = await doctor(cwd, { words: [], env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${withUser}/v1` } })
    expect(found(report, 'providers')).toMatchObject({
      status: 'fail',
      detail: `openai does not answer at ${url}: the address has a user or a password in it, which are not sent.`,
    })
    expect(JSON.stringify(report)).not.toContain('pass%20word')
  })

  it.skipIf(process.platform === 'win32')('names open permissions, and a .env that git has', async () => {
    const { cwd, path } = project({ '.env': '', '.gitignore': '.env\n' })
    const git = (...words: string[]): Promise<unknown> => promisify(execFile)('git', words, { cwd })
    await git('init', '--quiet')
    chmodSync(path('.env'), 0o644)
    expect(found(await doctor(cwd), 'env')).toMatchObject({ status: 'warn', fix: 'chmod 600 .env' })
    chmodSync(path('.env'), 0o600)
    writeFileSync(path('.gitignore'), '')
    expect(found(await doctor(cwd), 'env')).toMatchObject({ status: 'warn', fix: 'echo .env >> .gitignore' })
    chmodSync(path('.env'), 0o644)
    expect(found(await doctor(cwd), 'env')?.fix).toBe('echo .env >> .gitignore && chmod 600 .env')
    await git('add', '.env')
    expect(found(await doctor(cwd), 'env')).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('git rm --cached .env'),
    })
    const store = sqliteSessions(path('agentkit-data/sessions.db'))
    await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
    await store.close()
    chmodSync(path('agentkit-data/sessions.db'), 0o644)
    chmodSync(path('agentkit-data'), 0o777)
    const open = await doctor(cwd)
    expect(found(open, 'store')).toMatchObject({ status: 'warn', fix: 'chmod 600 agentkit-data/sessions.db' })
    expect(found(open, 'disk')).toMatchObject({ status: 'warn', fix: 'chmod 700 agentkit-data' })
  })

  it('names a server of MCP that does not start, and pins nothing', async () => {
    const { cwd } = project({
      'agentkit_config.toml': '[server]\nport = 0\n[mcp.files]\ncommand = "no-such-program"\n',
    })
    const report = await doctor(cwd)
    expect(found(report, 'mcp')).toMatchObject({ status: 'fail', detail: expect.stringContaining('[mcp.files]') })
    expect(readdirSync(cwd).sort()).toEqual(['agentkit_config.toml', 'package.json'])
  })

  it.each([
    [200, 'ok', /takes traces\..*takes metrics\./],
    [401, 'fail', /refuses traces \(HTTP 401\)/],
    [404, 'fail', /does not take traces \(HTTP 404\)/],
  ])(
    'sends an empty export to the endpoint of telemetry, which answers with %i: %s',
    async (status, verdict, detail) => {
      const { url, paths } = await provider(status, {})
      const { cwd } = project({ 'agentkit_config.toml': '[defaults]\ntelemetry = "otlp"\n[server]\nport = 0\n' })
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${key}` }
      const report = await doctorTwice(cwd, { words: [], env })
      expect(found(report, 'telemetry')).toMatchObject({ status: verdict, detail: expect.stringMatching(detail) })
      expect([...new Set(paths)].sort()).toEqual(['POST /v1/metrics', 'POST /v1/traces'])
      expect(report.text).not.toContain(key)
    },
  )

  it('names an endpoint of telemetry that does not answer, a variable that is wrong, and asks none offline', async () => {
    const { cwd } = project({ 'agentkit_config.toml': '[defaults]\ntelemetry = "otlp"\n[server]\nport = 0\n' })
    const away = await doctor(cwd, { words: [], env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } })
    const telemetry = found(away, 'telemetry')
    expect(telemetry).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('http://127.0.0.1:9/v1/traces does not answer'),
    })
    expect(telemetry?.fix).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
    const grpc = await doctor(cwd, { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } })
    expect(found(grpc, 'telemetry')).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('Set it to "http/protobuf"'),
    })
    expect(found(await doctor(cwd), 'telemetry')).toMatchObject({ status: 'skipped' })
  })

  it('names a Postgres that does not answer', async () => {
    const words = ['--sessions', 'postgres://ann:geheim@127.0.0.1:9/app']
    const report = await doctorTwice(project().cwd, { words })
    expect(found(report, 'store')).toMatchObject({ status: 'fail', detail: expect.stringContaining('127.0.0.1:9') })
    expect(report.text).not.toContain('geheim')
  })

  it('recognizes a file of sessions under any name', async () => {
    const { cwd, path } = project()
    const store = sqliteSessions(path('postgres.db'))
    await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
    await store.close()
    const report = await doctor(cwd, { words: [...offline, '--sessions', 'postgres.db'] })
    expect(found(report, 'store')).toMatchObject({ status: 'ok', detail: expect.stringContaining('is sound') })
    expect(found(report, 'packages')).toMatchObject({ status: 'ok' })
  })

  it.each([
    ['doctor', '--offline'],
    ['runs', 'list'],
    ['queue', 'counts'],
  ])('%s refuses the address of another store with 2, and shows no password', async (...words) => {
    for (const scheme of ['mysql', 'postgress']) {
      const { code, out, error } = await agentkit([...words, '--sessions', `${scheme}://ann:geheim@127.0.0.1/app`])
      const problem = `--sessions is the path of a SQLite file or postgres://…, not a ${scheme}:// address.`
      expect({ code, out, error }).toEqual({ code: 2, out: '', error: problem })
    }
  })
})

/** Every file with its content, size and time. */
function snapshot(folder: string): unknown {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('node_modules'),
  )
  return names.sort().map((name) => {
    const stats = statSync(join(folder, name))
    return [name, stats.mode, stats.isFile() ? [stats.mtimeMs, readFileSync(join(folder, name), 'base64')] : '']
  })
}

/** Overwrites the second page of a database. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill(0xff, 4_096, 4_096 * 3)
  writeFileSync(path, bytes)
}
