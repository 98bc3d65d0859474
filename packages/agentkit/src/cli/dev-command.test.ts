import type { ChildProcess } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cliFolder, type Ended } from '../__fixtures__/cli-folder.ts'

const { folder, write, agentkit } = cliFolder()
const patiently = { timeout: 30_000, interval: 100 }

const agent = (name: string, more = ''): string => `import { Agent } from 'agentkit'
export const agent = new Agent({ name: '${name}', functions: [], sessions: ':memory:' })
${more}`

type Running = { out(): string; url(count?: number): Promise<string>; stop(signal?: NodeJS.Signals): Promise<Ended> }

/** A command that runs until it is stopped. */
function start(words: readonly string[]): Running {
  let text = ''
  let child: ChildProcess | undefined
  const ended = agentkit(words, {
    onStart(started) {
      child = started
      for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk) => (text += chunk))
    },
  })
  const urls = (): string[] => [...text.matchAll(/listens on (http:\S+)/g)].map(([, url = '']) => url)
  return {
    out: () => text,
    async url(count = 1) {
      await expect.poll(urls, patiently).toHaveLength(count)
      return urls().at(-1) ?? ''
    },
    stop(signal = 'SIGTERM') {
      child?.kill(signal)
      return ended
    },
  }
}

async function nameAt(url: string): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/info`)
  return (await response.json()).name
}

describe('agentkit dev', { timeout: 90_000 }, () => {
  it('serves the agent of a file, and again after its code or its configuration has changed', async () => {
    write('agentkit_config.toml', '[server]\nport = 0\n')
    write('agent.ts', agent('First'))
    const dev = start(['dev'])
    expect(await nameAt(await dev.url())).toBe('First')
    expect(dev.out()).toContain('offline/extractive, which is not a language model')
    writeFileSync(`${folder}/agent.ts`, agent('Second'))
    expect(await nameAt(await dev.url(2))).toBe('Second')
    writeFileSync(`${folder}/agentkit_config.toml`, '[server]\nport = 0\n[second]\ndescription = "New."\n')
    const response = await fetch(`${await dev.url(3)}/api/v1/info`)
    expect((await response.json()).description).toBe('New.')
    await dev.stop()
  })

  it('serves it again each time that an editor has replaced its file, also after a failure', async () => {
    const replace = (text: string): void => {
      writeFileSync(`${folder}/new.ts`, text)
      renameSync(`${folder}/new.ts`, `${folder}/agent.ts`)
    }
    write('agentkit_config.toml', '[server]\nport = 0\n')
    write('agent.ts', agent('First'))
    const dev = start(['dev'])
    await dev.url()
    replace(agent('Second'))
    expect(await nameAt(await dev.url(2))).toBe('Second')
    replace('this is (no TypeScript')
    await expect.poll(dev.out, patiently).toContain('Failed running')
    replace(agent('Third'))
    expect(await nameAt(await dev.url(3))).toBe('Third')
    // As `git checkout` replaces a file, and an editor then writes into it.
    writeFileSync(`${folder}/agent.ts`, agent('Fourth'))
    expect(await nameAt(await dev.url(4))).toBe('Fourth')
    await dev.stop()
  })

  it('runs an app as it is, with its arguments, and serves nothing beside it', async () => {
    write(
      'app.ts',
      agent('App', "console.log('arguments', process.argv.slice(2).join())\nawait agent.run({ port: 0 })\n"),
    )
    const dev = start(['dev', 'app.ts', '--one', 'two'])
    expect(await nameAt(await dev.url())).toBe('App')
    expect(dev.out()).toContain('arguments --one,two')
    expect(dev.out().match(/listens on/g)).toHaveLength(1)
    await dev.stop()
  })

  it('stops when it alone receives the signal of Ctrl-C, as from a program that has started it', async () => {
    write('app.ts', agent('App', 'await agent.run({ port: 0 })\n'))
    const dev = start(['dev', 'app.ts'])
    const url = await dev.url()
    await dev.stop('SIGINT')
    await expect(fetch(url)).rejects.toThrow()
  })

  it('refuses a missing file with 2, without waiting for it', async () => {
    const { code, error } = await agentkit(['dev', 'ap.ts'])
    expect({ code, error }).toEqual({ code: 2, error: 'There is no file "ap.ts". Did you mean "app.ts"?' })
  })

  it.each([
    [['two.ts', '--agent', 'frist'], '"two.ts" has no agent "frist". Did you mean "first"?'],
    [['--agent', 'frist', 'two.ts'], '"two.ts" has no agent "frist". Did you mean "first"?'],
    [['none.ts'], '"none.ts" has no agent. Export one (export const agent = new Agent(…)), or call its run().'],
  ])('refuses %j with 2, without waiting for a change', async (words, problem) => {
    write('two.ts', agent('First', "export const second = new Agent({ name: 'Second', functions: [] })"))
    write('none.ts', 'export {}')
    const { code, error } = await agentkit(['dev', ...words])
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(problem) })
  })
})
