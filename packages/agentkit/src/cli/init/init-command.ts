import { Command, Option } from 'commander'
import { providerIds } from '../../models/providers.ts'
import { choice } from '../common/choice.ts'
import { packageManagers } from '../common/package-manager.ts'
import type { InitFlags } from './choices.ts'
import { templates } from './templates.ts'

/** `agentkit init`: a project from nothing. */
export function initCommand(): Command {
  return new Command('init')
    .argument('[folder]', 'where the project is made', '.')
    .addOption(
      new Option('--provider <name...>', 'the providers of models, the one of the agent first')
        .choices(providerIds)
        // They are checked with the other choices.
        .argParser((name: string, earlier: readonly string[] = []) => [...earlier, name]),
    )
    .addOption(choice('--template <name>', 'what the agent is', templates))
    .option('--model <name>', 'the model of the agent, such as anthropic/claude-sonnet-5')
    .addOption(choice('--pm <name>', 'the package manager', packageManagers))
    .option('--yes', 'ask nothing: what no option says takes its default')
    .option('--no-install', 'write the files alone')
    .option('--force', 'write <name>.new beside each file that exists')
    .addHelpText('after', examples)
    .action(async (folder: string, flags: InitFlags) => {
      const { init } = await import('./init.ts')
      process.exitCode = await init(folder, flags)
    })
}

const examples = `
Examples:
  npx agentkit init
  npx agentkit init my-agent --provider anthropic --template swarm --yes
  npx agentkit init --provider openai mistral --model mistral-large-2512 --pm pnpm --no-install

A file that exists is kept: package.json and .gitignore are extended. Nothing is written before all is known.
Exit codes: 0 made, 1 the install failed, 2 wrong usage, 130 Ctrl-C.`
