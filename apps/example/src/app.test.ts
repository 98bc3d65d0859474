import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
let folder = ''
let app: ChildProcess | undefined

afterEach(async () => {
  if (app && app.exitCode === null) {
    const exit = once(app, 'exit')
    app.kill('SIGTERM')
    await exit
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the app in a new folder, with only the given keys; returns its output up to the curl line. */
async function start(env: Record<string, string>): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-example-'))
  copyFileSync(join(root, 'agentkit_config.toml'), join(folder, 'agentkit_config.toml'))
  const register = import.meta.resolve('agentkit/register')
  const script = join(root, 'apps/example/src/app.ts')
  const keys = { LLMPROVIDER_API_KEY: '', OPENAI_API_KEY: '', RPC_URL: '' }
  app = spawn(process.execPath, ['--conditions=@agentkit/source', `--import=${register}`, script], {
    cwd: folder,
    env: { ...process.env, ...keys, HOST: '127.0.0.1', PORT: '0', ...env },
  })
  let printed = ''
  for (const stream of [app.stdout, app.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  while (!printed.includes('curl ') && app.exitCode === null) {
    await Promise.race([once(app.stdout as NonNullable<ChildProcess['stdout']>, 'data'), once(app, 'exit')])
  }
  return printed
}

function lastLine(printed: string): string {
  return printed.trimEnd().split('\n').at(-1) ?? ''
}

describe('the example app', () => {
  it('prints that it runs offline and how to change it, and finally a curl line', async () => {
    const printed = await start({})
    expect(printed).toMatch(/running on offline\/extractive[\s\S]*LLMPROVIDER_API_KEY[\s\S]*agentkit_config\.toml/)
    expect(lastLine(printed)).toMatch(/^curl http:\/\/127\.0\.0\.1:\d+\//)
  })

  // Requires curl.
  it.runIf(spawnSync('curl', ['--version']).status === 0)('prints a curl line that works as pasted', async () => {
    const curl = lastLine(await start({}))
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`])
    expect(stdout).toMatch(/I am the offline stand-in, not a language model\. .*\d{2}:\d{2}/)
  })

  it('runs on the default provider if its key is set', async () => {
    expect(await start({ OPENAI_API_KEY: 'test-key' })).not.toContain('offline/extractive')
  })

  it('exits cleanly on SIGTERM', async () => {
    await start({})
    const exit = once(app as ChildProcess, 'exit')
    app?.kill('SIGTERM')
    expect((await exit)[0]).toBe(0)
  })
})
