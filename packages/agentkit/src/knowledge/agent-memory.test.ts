import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent, type AgentOptions, Swarm } from '../index.ts'
import { agentMemory } from './agent-memory.ts'

const folder = useFolder()
const noteTools = ['remember', 'forget']

async function toolsWith(toml: string, options: Partial<AgentOptions> = {}): Promise<string[]> {
  const configPath = folder.write('agentkit_config.toml', toml)
  const agent = new Agent({ name: 'Garden', model: scriptedModel([]), sessions: ':memory:', configPath, ...options })
  await agent.close()
  return agent.tools.map(({ name }) => name)
}

it.each([
  ['', undefined, []],
  ['', true, ['recall', ...noteTools]],
  ['', { notes: false }, ['recall']],
  ['[defaults]\nmemory = true', undefined, ['recall', ...noteTools]],
  ['[defaults]\nmemory = true\n[garden]\nmemory = false', undefined, []],
  ['[garden]\nmemory = { recall = false }', undefined, noteTools],
  ['[garden]\nmemory = { recall = false }', true, ['recall', ...noteTools]],
  ['[garden]\nmemory = true', false, []],
])('with %j and the option %j an agent has the tools %j', async (toml, memory, tools) => {
  expect(await toolsWith(toml, memory === undefined ? {} : { memory })).toEqual(tools)
})

it('refuses values that are none, in code and in the file', async () => {
  // As from JavaScript.
  await expect(toolsWith('', { memory: 'yes' as never })).rejects.toThrow('`memory` is true, or an object')
  await expect(toolsWith('', { memory: { dayz: 3 } as never })).rejects.toThrow('dayz')
  await expect(toolsWith('', { memory: { days: 36_501 } })).rejects.toThrow('from 1 to 36500')
  for (const value of [
    '"true"',
    '{ dayz = 3 }',
    '{ days = 0 }',
    '{ days = "365" }',
    '{ days = 36501 }',
    '{ recall = "no" }',
    '{ recall = false, notes = false }',
  ]) {
    await expect(toolsWith(`[garden]\nmemory = ${value}`), value).rejects.toMatchObject({
      code: 'invalid-config',
      message: expect.stringMatching(
        /agentkit_config\.toml:2: "memory" must be .+ to 36500\)\. Write for example memory = \{ days = 365 \}\.$/,
      ),
    })
  }
  expect(await toolsWith('[garden]\nmemory = { days = 36500, notes = false }')).toEqual(['recall'])
})

it('names the command that installs the package', () => {
  const absent = () => {
    throw Object.assign(new Error("Cannot find package '@agentkit/memory'"), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  expect(() => agentMemory(true, {}, absent)).toThrow('npm i @agentkit/memory')
  expect(agentMemory(undefined, {}, absent)).toBeUndefined()
})

it('gives a swarm with a manager a memory of its own', async () => {
  const model = scriptedModel([])
  const member = new Agent({ name: 'Member', model, sessions: ':memory:' })
  const swarm = new Swarm({ name: 'Team', agents: [member], model, sessions: ':memory:', memory: true })
  expect(swarm.tools.map(({ name }) => name)).toEqual(['recall', ...noteTools])
  expect(await swarm.memory.search('apple', { userId: 'ada' })).toEqual([])
  await swarm.close()
  await member.close()
})
