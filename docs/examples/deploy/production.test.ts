import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultLimits } from '@agentkit/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { token } from './__fixtures__/check-app.ts'
import { freePort, isInstalled, start } from './__fixtures__/processes.ts'

const here = import.meta.dirname
const dockerfile = readFileSync(join(here, 'Dockerfile'), 'utf8')
const unit = readFileSync(join(here, 'clerk.service'), 'utf8')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(realpathSync(tmpdir()), 'agentkit-production-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the Dockerfile', () => {
  it('starts a server that is healthy, and ends with 0 at SIGTERM', async () => {
    copyFileSync(join(here, 'server.ts'), join(folder, 'server.ts'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    symlinkSync(join(here, '../node_modules'), join(folder, 'node_modules'), 'junction')
    const [HOST = ''] = /HOST=(\S+)/.exec(dockerfile)?.slice(1) ?? []
    const env = { HOST, PORT: String(await freePort()), AGENT_TOKEN: token, OPENAI_API_KEY: 'test-key' }
    const [command = '', ...args] = instruction('CMD')
    expect(command).toBe('node')
    const stop = await start({
      command: process.execPath,
      args: ['--conditions=@agentkit/source', ...args],
      cwd: folder,
      env,
      url: `http://127.0.0.1:${env.PORT}/health`,
    })
    const [, ...check] = instruction('HEALTHCHECK')
    const health = () => spawnSync(process.execPath, check, { env: { ...process.env, ...env } }).status
    expect(health()).toBe(0)
    expect(await stop()).toBe(0)
    expect(health()).toBe(1)
  })

  it('runs it as a user without rights, from the lockfile, without install scripts', () => {
    expect(dockerfile).toContain('npm ci --omit=dev --ignore-scripts')
    expect(dockerfile.indexOf('\nUSER node')).toBeGreaterThan(dockerfile.lastIndexOf('\nFROM'))
  })

  /** The last JSON list of arguments after this word. */
  function instruction(word: string): string[] {
    const after = dockerfile.slice(dockerfile.indexOf(`\n${word}`))
    return JSON.parse(/CMD (\[.*\])$/m.exec(after)?.[1] ?? '[]')
  }
})

describe('the compose file', () => {
  const compose = readFileSync(join(here, 'compose.yaml'), 'utf8')

  it('starts workers by the command of the package, and expects no port of them', () => {
    const worker = compose.slice(compose.indexOf('\n  worker:'), compose.indexOf('\n  database:'))
    const agentkit = JSON.parse(readFileSync(join(here, '../node_modules/agentkit/package.json'), 'utf8'))
    const cli = agentkit.bin.agentkit.replace('./', 'node_modules/agentkit/')
    expect(worker).toContain(`command: [node, ${cli}, worker, server.ts]`)
    expect(worker).toContain('healthcheck: { disable: true }')
  })

  it('waits longer than the server drains', () => {
    const waits = [...compose.matchAll(/stop_grace_period: (\d+)s/g)].map(([, seconds]) => Number(seconds) * 1000)
    expect(waits).toHaveLength(2)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(defaultLimits.drainMs + 5_000)
  })
})

describe('the systemd unit', () => {
  it('waits longer than the server drains', () => {
    const stopMs = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1000
    expect(stopMs).toBeGreaterThanOrEqual(defaultLimits.drainMs + 5_000)
  })

  const systemdIsThere = isInstalled('systemd-analyze')
  if (!systemdIsThere) console.log('systemd-analyze is not installed: the unit is not verified.')

  it.runIf(systemdIsThere)('has only options that systemd knows, and hardening that it calls OK', () => {
    const file = join(folder, 'clerk.service')
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath))
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    expect(verified.stderr.split('\n').filter((line) => line.includes('clerk.service'))).toEqual([])
    const security = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', file])
    expect(security.status).toBe(0)
  })
})
