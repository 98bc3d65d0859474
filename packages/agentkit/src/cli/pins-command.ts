import { resolve } from 'node:path'
import { isAgentKitError } from '@agentkit/core'
import { nearestWord } from '@agentkit/core/internal'
import { Command } from 'commander'
import { checkFile } from './common/agent-file.ts'
import { print } from './common/print.ts'
import { withProgress } from './common/progress.ts'
import { UsageError } from './common/usage-error.ts'

type PinsOptions = { config?: string; pins: string }

/** `agentkit tools pins accept`. */
export function pinsCommand(): Command {
  const pins = new Command('pins').description('the pinned tools of MCP servers, and pinned skills')
  pins
    .command('accept')
    .description('pins the tools of an MCP server as they are now')
    .argument('<server>', 'the name of the server: its table [mcp.<server>], or its name in the lock file')
    .argument('[tool]', 'the name that the server has for the only tool to accept')
    .option('--config <file>', 'the configuration (default: agentkit_config.toml)')
    .option('--pins <file>', 'the lock file of a server that is not in the configuration', 'agentkit-mcp.lock.json')
    .action(accept)
  pins
    .command('skills')
    .description('pins the skills of a folder as they are now')
    .argument('<folder>', 'the folder of the skills')
    .argument('[skill]', 'the name of the only skill to accept')
    .option('--pins <file>', 'the lock file', 'agentkit-skills.lock.json')
    .action(acceptSkillsOf)
  return pins
}

async function accept(server: string, tool: string | undefined, options: PinsOptions): Promise<void> {
  if (options.config !== undefined) checkFile(options.config, 'Pass the TOML file.')
  const { SDKContext } = await import('../config/sdk-context.ts')
  const { mcpOptions } = await import('../mcp/mcp-options.ts')
  const { importMcp } = await import('../util/import-optional.ts')
  const { acceptPins, forgetPins } = await importMcp()
  const context = new SDKContext(options.config === undefined ? {} : { configPath: options.config })
  try {
    const table = context.config.mcp.get(server)
    if (table) {
      const accepting = acceptPins(mcpOptions(server, table, context.config), tool).catch(refuseUnknown)
      const accepted = await withProgress(`Asking ${server} for its tools`, accepting)
      print(accepted.length === 0 ? 'All its tools are pinned as they are.' : `Pinned: ${accepted.join(', ')}.`)
      return
    }
    const file = resolve(options.pins)
    const forgotten = forgetPins(file, server, tool)
    if (forgotten === undefined || forgotten.length === 0) {
      const what = forgotten === undefined ? `server "${server}"` : `tool "${tool}" of the server "${server}"`
      const nearest = forgotten === undefined ? nearestWord(server, [...context.config.mcp.keys()]) : undefined
      throw new UsageError(
        `${options.pins} has no ${what}.${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
      )
    }
    print(`${forgotten.join(', ')}: the next run outside of production pins them as they are then.`)
  } finally {
    await context.close()
  }
}

async function acceptSkillsOf(folder: string, name: string | undefined, options: { pins: string }): Promise<void> {
  checkFile(folder, 'Pass the folder that has the skills.', { kind: 'folder' })
  const { importSkills } = await import('../util/import-optional.ts')
  const { acceptSkills } = await importSkills()
  try {
    const accepted = acceptSkills([folder], name, options.pins)
    print(accepted.length === 0 ? 'All are pinned as they are.' : `Pinned: ${accepted.join(', ')}.`)
  } catch (error) {
    refuseUnknown(error)
  }
}

/** @throws UsageError for the name of a tool or a skill that there is not; any other error as it is */
function refuseUnknown(error: unknown): never {
  if (isAgentKitError(error) && error.code === 'not-found') throw new UsageError(error.message)
  throw error
}
