import { existsSync } from 'node:fs'
import { scriptedModel } from '@agentkit/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { UsageError } from '../cli/common/usage-error.ts'
import { toolsCommand } from '../cli/tools-command.ts'
import { SDKContext } from '../config/sdk-context.ts'

const folder = useFolder()

beforeEach(() => vi.stubEnv('CI', ''))

const skillText = (name: string, body = 'Do it.') => `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}\n`

/** What the model of an agent receives as its instruction and tools. */
async function offered(name: string, sdkContext: SDKContext) {
  const model = scriptedModel(['Hello.'])
  const agent = new Agent({ name, functions: [], model, sdkContext, sessions: ':memory:' })
  const { error, warnings } = await agent.stream('Hi').result
  const [request] = model.requests
  return {
    tools: request?.tools?.map((tool) => tool.name) ?? [],
    system: String(request?.messages[0]?.content),
    error,
    warnings,
  }
}

describe('`skills` in the configuration', () => {
  it('gives an agent the skills of folders beside the configuration, and pins them there', async () => {
    folder.write('project/skills/forms/SKILL.md', skillText('forms'))
    const configPath = folder.write('project/agentkit_config.toml', '[clerk]\nskills = ["./skills"]\n[hermit]\n')
    const sdkContext = new SDKContext({ configPath })
    const clerk = await offered('clerk', sdkContext)
    expect(clerk.tools).toEqual(['load_skill', 'read_skill_file'])
    expect(clerk.system).toContain('- forms: About forms.')
    expect((await offered('hermit', sdkContext)).tools).toEqual([])
    expect(existsSync(folder.path('project/agentkit-skills.lock.json'))).toBe(true)
    await sdkContext.close()
  })

  it('fails the run for a folder that is not there, and with an unpinned skill in production', async () => {
    folder.write('skills/forms/SKILL.md', skillText('forms'))
    const toml = '[clerk]\nskills = ["./skils"]\n[payer]\nenvironment = "production"\nskills = ["./skills"]\n'
    const sdkContext = new SDKContext({ configPath: folder.write('agentkit_config.toml', toml) })
    const clerk = await offered('clerk', sdkContext)
    expect(clerk.error).toMatchObject({ code: 'invalid-config', message: expect.stringMatching(/skils is not there/) })
    const payer = await offered('payer', sdkContext)
    expect(payer.error).toMatchObject({
      code: 'invalid-config',
      message: expect.stringContaining('"forms" has no pin'),
    })
    expect(existsSync(folder.path('agentkit-skills.lock.json'))).toBe(false)
    await sdkContext.close()
  })

  it.each([{ CI: 'true' }, { NODE_ENV: 'production' }])('fails the run with an unpinned skill with %o', async (env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    folder.write('skills/forms/SKILL.md', skillText('forms'))
    const configPath = folder.write('agentkit_config.toml', '[clerk]\nskills = ["skills"]\n')
    const sdkContext = new SDKContext({ configPath })
    const { error } = await offered('clerk', sdkContext)
    expect(error).toMatchObject({ code: 'invalid-config', message: expect.stringContaining('"forms" has no pin') })
    expect(existsSync(folder.path('agentkit-skills.lock.json'))).toBe(false)
    await sdkContext.close()
  })

  it('leaves out a skill that has changed until `agentkit tools pins skills` accepts it', async () => {
    const configPath = folder.write('agentkit_config.toml', '[clerk]\nskills = ["skills"]\n')
    folder.write('skills/forms/SKILL.md', skillText('forms'))
    const sdkContext = (): SDKContext => new SDKContext({ configPath })
    await offered('clerk', sdkContext())
    folder.write('skills/forms/SKILL.md', skillText('forms', 'Do another thing.'))
    const { warnings, tools } = await offered('clerk', sdkContext())
    expect(warnings.join()).toContain('agentkit tools pins skills')
    expect(tools).toEqual([])
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const accept = (...words: string[]) => toolsCommand().parseAsync(['pins', 'skills', ...words], { from: 'user' })
    await expect(accept('skills', 'form')).rejects.toThrow(
      new UsageError('There is no skill "form". Did you mean "forms"?'),
    )
    await accept('skills', 'forms')
    expect(written).toHaveBeenCalledWith('Pinned: forms.\n')
    await accept('skills')
    expect(written).toHaveBeenCalledWith('All are pinned as they are.\n')
    expect((await offered('clerk', sdkContext())).tools).toEqual(['load_skill', 'read_skill_file'])
  })

  it('prints a command that accepts a skill of a configuration in another folder', async () => {
    const configPath = folder.write('app/agentkit_config.toml', '[clerk]\nskills = ["skills"]\n')
    folder.write('app/skills/forms/SKILL.md', skillText('forms'))
    await offered('clerk', new SDKContext({ configPath }))
    folder.write('app/skills/forms/SKILL.md', skillText('forms', 'Do another thing.'))
    const { warnings } = await offered('clerk', new SDKContext({ configPath }))
    const [, words = ''] = /agentkit tools (pins skills .*)$/.exec(warnings.join()) ?? []
    vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await toolsCommand().parseAsync(words.replaceAll('"', '').split(' '), { from: 'user' })
    expect((await offered('clerk', new SDKContext({ configPath }))).tools).toEqual(['load_skill', 'read_skill_file'])
    expect(existsSync(folder.path('agentkit-skills.lock.json'))).toBe(false)
  })
})
