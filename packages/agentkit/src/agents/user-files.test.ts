import { join } from 'node:path'
import { userFolder } from '@agentkit/core/internal'
import { createApp, serve } from '@agentkit/server'
import { mcpServer } from '@agentkit/server/mcp'
import { scriptedModel } from '@agentkit/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { cliFolder } from '../__fixtures__/cli-folder.ts'
import { Agent } from './agent.ts'
import { Swarm } from './swarm.ts'

const { folder, write, agentkit } = cliFolder()
const question = 'Where does the walrus live?'
const configured = '[server]\nper_user_files = true\n'
const agentFile = (more: string): string => `import { Agent } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
export const agent = new Agent({
  name: 'Guide',
  functions: [],
  model: scriptedModel([{ toolCalls: [{ name: 'search_files', input: { query: 'walrus' } }] }, 'Done.']),
  retrieve: true,
  retriever: { folder: 'files' },
  sessions: ':memory:',
})
${more}
`

beforeAll(() => {
  for (const user of ['ann', 'bob']) {
    write(join('files', userFolder(user), `${user}.txt`), `The walrus lives in the street of ${user}.`)
  }
  write('agent.ts', agentFile(''))
  write('separate.ts', agentFile('agent.run({ perUserFiles: true })'))
  write('shared.ts', agentFile('agent.run({ perUserFiles: false })'))
  const own =
    "{ name: 'own', score: ({ result: { sources } }) => sources.map(({ file }) => file).join() === 'ann.txt' }"
  write(
    'eval.ts',
    `import { agent } from './agent.ts'
export default { agent, cases: [{ input: '${question}', userId: 'ann' }], scorers: [${own}] }
`,
  )
})

describe('files of each user, where no server separates them', () => {
  it.each(['lone agent', 'member'])('are all that a worker shows that user: the files of a %s', async (kind) => {
    const configPath = write('worker.toml', configured)
    const calls = (name: string, input: { query: string } | { task: string }) =>
      scriptedModel([{ toolCalls: [{ name, input }] }, 'Done.'])
    const sessions = join(folder, `${kind}.db`)
    const guide = new Agent({
      name: 'Guide',
      functions: [],
      configPath,
      model: calls('search_files', { query: 'walrus' }),
      retrieve: true,
      retriever: { folder: join(folder, 'files'), indexPath: join(folder, `index-${kind}`) },
      ...(kind === 'lone agent' && { sessions }),
    })
    const model = calls('guide', { task: 'walrus' })
    const agent =
      kind === 'lone agent' ? guide : new Swarm({ name: 'Team', configPath, model, sessions, agents: [guide] })
    const worker = await agent.work()
    const { runId } = await agent.enqueue(question, { userId: 'ann' })
    const { sources } = await agent.result(runId)
    await worker.close()
    await agent.close()
    await guide.close()
    expect(sources.map(({ file }) => file)).toEqual(['ann.txt'])
  })

  it('are all that a member shows which joins a served swarm, or a swarm in it', async () => {
    const calls = (name: string, input: { query: string } | { task: string }) =>
      scriptedModel([{ toolCalls: [{ name, input }] }, 'Done.'])
    const files = { folder: join(folder, 'files'), indexPath: join(folder, 'index-joined') }
    const guide = new Agent({
      ...{ name: 'Guide', functions: [], retrieve: true, retriever: files },
      model: calls('search_files', { query: 'walrus' }),
    })
    const idle = new Agent({ name: 'Idle', functions: [], model: scriptedModel([]) })
    const team = new Swarm({
      name: 'Team',
      model: calls('guide', { task: 'walrus' }),
      sessions: ':memory:',
      agents: [idle],
    })
    const all = new Swarm({
      name: 'All',
      model: calls('team', { task: 'walrus' }),
      sessions: ':memory:',
      agents: [team],
    })
    createApp(all, { perUserFiles: true })
    team.addAgent(guide)
    const { sources } = await all.stream(question, { userId: 'ann' }).result
    for (const agent of [all, team, guide]) await agent.close()
    expect(sources.map(({ file }) => file)).toEqual(['ann.txt'])

    const knowledge = { tools: () => [], files: async () => [], sync: guide.knowledge?.sync, close: async () => {} }
    const unable = { ...idle, id: 'unable', knowledge, toSpec: () => idle.toSpec() }
    const member = unable as unknown as Agent // all that a swarm reads of a member
    expect(() => team.addAgent(member)).toThrow(expect.objectContaining({ code: 'invalid-config' }))
    expect(team.agents.map(({ id }) => id)).toEqual(['idle', 'guide'])
  })

  it('are all that the other agents of a process show which search the same folder, whatever their options', async () => {
    const served = join(folder, 'served')
    const filesOf = async (name: string, more: object, retriever: object = {}): Promise<string[]> => {
      const model = scriptedModel([{ toolCalls: [{ name: 'search_files', input: { query: 'walrus' } }] }, 'Done.'])
      const files = { folder: served, indexPath: join(folder, `index-of-${name}`), ...retriever }
      const agent = new Agent({ name, functions: [], model, sessions: ':memory:', retriever: files, ...more })
      const { sources } = await agent.stream(question, { userId: 'ann' }).result
      await agent.close()
      return sources.map(({ file }) => file)
    }
    for (const user of ['ann', 'bob']) {
      write(join('served', userFolder(user), `${user}.txt`), `The walrus lives in the street of ${user}.`)
    }
    expect(await filesOf('before', {})).toHaveLength(2)
    const agent = new Agent({ name: 'Served', functions: [], model: scriptedModel([]), retriever: { folder: served } })
    createApp(agent, { perUserFiles: true })
    expect(await filesOf('same', {})).toEqual(['ann.txt'])
    expect(await filesOf('other', { requiredExts: ['.txt'] }, { folder: `${folder}/./served/` })).toEqual(['ann.txt'])
    await agent.close()
    expect(await filesOf('later', {})).toEqual(['ann.txt'])
  })

  it('are not shared by `createApp`, `serve` and `mcpServer` without a word where the configuration separates them', async () => {
    const configPath = write('own-server.toml', configured)
    const refused = {
      code: 'invalid-config',
      message: expect.stringContaining('Pass `perUserFiles: true`, or `false`'),
    }
    const files = { retriever: { folder: join(folder, 'files') } }
    const guide = new Agent({ name: 'Guide', functions: [], configPath, model: scriptedModel([]), ...files })
    const team = new Swarm({ name: 'Team', configPath, model: scriptedModel([]), agents: [guide] })
    for (const agent of [guide, team]) {
      expect(() => createApp(agent)).toThrow(expect.objectContaining(refused))
      expect(() => mcpServer(agent)).toThrow(expect.objectContaining(refused))
      await expect(serve(agent, { port: 0 })).rejects.toMatchObject(refused)
    }
    createApp(guide, { perUserFiles: false })
    createApp(guide, { perUserFiles: true })
    createApp(new Agent({ name: 'Poet', functions: [], configPath, model: scriptedModel([]) }))
    await team.close()
    await guide.close()
  })

  it.each([
    ['[server]', 'agent.ts', configured, ['ann.txt']],
    ['run()', 'separate.ts', '', ['ann.txt']],
    ['run() before [server]', 'shared.ts', configured, ['ann', 'bob'].map((user) => `${userFolder(user)}/${user}.txt`)],
  ])('are all that a command shows, by %s', async (_, file, toml, files) => {
    write('agentkit_config.toml', toml)
    const { out } = await agentkit(['run', file, question, '--user', 'ann', '--json'])
    const { sources }: { sources: { file: string }[] } = JSON.parse(out)
    expect(sources.map((source) => source.file).sort()).toEqual(files)
  })

  it('are all that a chat lists, and that an eval finds', async () => {
    write('agentkit_config.toml', configured)
    const { out } = await agentkit(['chat', 'agent.ts', '--user', 'bob'], { input: '/files\n' })
    expect(out).toBe('bob.txt')
    expect(await agentkit(['eval', 'eval.ts'])).toMatchObject({ code: 0 })
  })
})
