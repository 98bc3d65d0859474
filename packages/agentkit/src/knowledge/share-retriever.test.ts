import { mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs'
import type { Embedder } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import type { AgentOptions } from '../agents/options.ts'

const folder = useFolder()
const agents: Agent[] = []
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close()))
})

/** An agent with its own context, for example one per request. */
function made(options: Partial<AgentOptions> = {}): Agent {
  const model = scriptedModel([{ text: 'Yes.' }])
  const agent = new Agent({ name: 'Helper', functions: [], model, ...options })
  agents.push(agent)
  return agent
}

function files(name: string): string {
  mkdirSync(folder.path(name), { recursive: true })
  folder.write(`${name}/${name}.md`, `# ${name}\n\nEverybody has 30 days of holidays.\n`)
  return name
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith(realpathSync(folder.path('.')))
    } catch {
      return false
    }
  }).length
}

it.runIf(process.platform === 'linux')(
  'holds no more open for many agents than for one, though none is closed',
  async () => {
    const retriever = { folder: files('docs') }
    await made({ retriever }).chat('Hello?', { sessionId: 's0' })
    const ofOne = descriptors()
    expect(ofOne).toBeGreaterThan(0)
    for (let count = 1; count < 60; count++) await made({ retriever }).chat('Hello?', { sessionId: `s${count}` })
    expect(descriptors()).toBe(ofOne)
    await Promise.all(agents.splice(0).map((agent) => agent.close()))
    expect(descriptors()).toBe(0)
  },
)

it('stays open for the other owners when one closes it', async () => {
  const retriever = { folder: files('docs') }
  const [first, second] = [made({ retriever }), made({ retriever })]
  await first.chat('Hello?')
  await second.chat('Hello?')
  await first.close()
  expect(await second.knowledge?.files()).toEqual(['docs.md'])
  await expect(first.knowledge?.files()).rejects.toMatchObject({ code: 'invalid-argument' })
})

it.runIf(process.platform === 'linux')('knows a folder and an index by any path that leads to them', async () => {
  files('docs')
  await made({ retriever: { folder: 'docs', indexPath: 'index' } }).chat('Hello?')
  const ofOne = descriptors()
  symlinkSync(folder.path('.'), folder.path('link'))
  await made({ retriever: { folder: 'link/docs', indexPath: folder.path('index') } }).chat('Hello?')
  expect(descriptors()).toBe(ofOne)
})

it('is not shared between different files, even with the same embedder', async () => {
  const embedder: Embedder = {
    id: 'test/ones',
    dimensions: 2,
    embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
  }
  const one = made({ retriever: { folder: files('one'), indexPath: 'index-one', embedder } })
  const sdkContext = one.sdkContext
  const two = made({ retriever: { folder: files('two'), indexPath: 'index-two', embedder }, sdkContext })
  await one.chat('Hello?')
  await two.chat('Hello?')
  expect(await one.knowledge?.files()).toEqual(['one.md'])
  expect(await two.knowledge?.files()).toEqual(['two.md'])
})

it('opens the index again after the last owner has closed it', async () => {
  const retriever = { folder: files('docs') }
  const first = made({ retriever })
  await first.chat('Hello?')
  await first.close()
  const second = made({ retriever })
  await second.chat('Hello?')
  expect(await second.knowledge?.files()).toEqual(['docs.md'])
})
