import { Argument, Command } from 'commander'
import { oneOf } from './common/choice.ts'
import { type CompletionTable, completionScript, shells } from './completion-script.ts'

/**
 * `agentkit completion bash`: a script that completes commands, options and their values.
 * @param program returns the program with all its commands
 */
export function completionCommand(program: () => Promise<Command>): Command {
  const shell = new Argument('<shell>', 'bash, zsh or fish').choices(shells)
  shell.argParser((word: string) => oneOf('The shell', word, shells))
  return new Command('completion')
    .addArgument(shell)
    .addHelpText('after', examples)
    .action(async (name: (typeof shells)[number]) => {
      const table: CompletionTable = new Map()
      collect(await program(), '', table)
      process.stdout.write(completionScript(name, table))
    })
}

const examples = `
Examples:
  source <(agentkit completion bash)                                       in ~/.bashrc
  agentkit completion zsh > "\${fpath[1]}/_agentkit"
  agentkit completion fish > ~/.config/fish/completions/agentkit.fish

Exit codes: 0 printed, 2 wrong usage.`

/** Collects what may follow each command. */
function collect(command: Command, path: string, table: CompletionTable): void {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help.visibleOptions(command)
  table.set(path, {
    words: [
      ...commands.map((each) => each.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ],
    options: options.flatMap(({ long }) => long ?? []),
    values: new Map(
      options.flatMap(({ long, required, argChoices = [] }) => (long && required ? [[long, argChoices]] : [])),
    ),
  })
  for (const each of command.commands) collect(each, `${path}/${each.name()}`, table)
}
