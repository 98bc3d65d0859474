import { Command } from 'commander'

/** A command whose module is loaded when the command is called. */
type LazyCommand = { name: string; description: string; load(): Promise<Command> }

/** The commands of `agentkit`. Each is loaded when it is called. */
export const commands: readonly LazyCommand[] = [
  {
    name: 'init',
    description: 'makes a project with an agent',
    load: async () => (await import('./init/init-command.ts')).initCommand(),
  },
  {
    name: 'dev',
    description: 'serves an agent, and restarts after each change of its code',
    load: async () => (await import('./dev-command.ts')).devCommand(),
  },
  {
    name: 'run',
    description: 'asks an agent one question',
    load: async () => (await import('./run/run-command.ts')).runCommand(),
  },
  {
    name: 'chat',
    description: 'talks with an agent of a file or of a server',
    load: async () => (await import('./chat/chat-command.ts')).chatCommand(),
  },
  {
    name: 'doctor',
    description: 'says what is wrong with the project in this folder, and how to fix it',
    load: async () => (await import('./doctor/doctor-command.ts')).doctorCommand(),
  },
  {
    name: 'docs',
    description: 'shows the documentation of the installed version, and searches it',
    load: async () => (await import('./docs/docs-command.ts')).docsCommand(),
  },
  {
    name: 'eval',
    description: 'runs agents on cases, and scores their answers',
    load: async () => (await import('./eval-command.ts')).evalCommand(),
  },
  {
    name: 'index',
    description: "updates the index of an agent's files, and inspects it",
    load: async () => (await import('./index-command.ts')).indexCommand(),
  },
  {
    name: 'tools',
    description: 'compiles typed functions to tools, for production',
    load: async () => (await import('./tools-command.ts')).toolsCommand(),
  },
  {
    name: 'worker',
    description: 'begins and continues the background runs of the agents of a file, until it is stopped',
    load: async () => (await import('./worker-command.ts')).workerCommand(),
  },
  {
    name: 'runs',
    description: 'shows stored runs, and cancels and retries them',
    load: async () => (await import('./runs-command.ts')).runsCommand(),
  },
  {
    name: 'queue',
    description: 'shows the queue of background runs, and builds it again',
    load: async () => (await import('./queue-command.ts')).queueCommand(),
  },
  {
    name: 'mcp',
    description: 'serves an agent over stdin and stdout, as an MCP server for desktop hosts',
    load: async () => (await import('./mcp-command.ts')).mcpCommand(),
  },
  {
    name: 'record',
    description: 'runs a command, and records the model calls of its agents',
    load: async () => (await import('./cassette-commands.ts')).recordCommand(),
  },
  {
    name: 'replay',
    description: 'runs a command whose models answer from a cassette, without network and keys',
    load: async () => (await import('./cassette-commands.ts')).replayCommand(),
  },
  {
    name: 'cassette',
    description: 'shows the calls of a cassette',
    load: async () => (await import('./cassette-commands.ts')).cassetteCommand(),
  },
]

const help = `
Examples:
  npx agentkit init my-agent
  agentkit run "What is the weather in Oslo?"
  agentkit <command> --help                          the options and examples of a command

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C; run has more.`

/** The command that completes words for shells needs all other commands. */
const completion: LazyCommand = {
  name: 'completion',
  description: 'prints a script that completes words in bash, zsh or fish',
  load: async () =>
    (await import('./completion-command.ts')).completionCommand(async () =>
      (await programWith(undefined)).version('', '-v, --version'),
    ),
}

/**
 * The program with all commands: those that are called are loaded, the others have a name and a description.
 * @param words the arguments; `undefined` loads every command
 */
export async function programWith(words: readonly string[] | undefined): Promise<Command> {
  const program = new Command('agentkit')
    .description('Creates, runs and checks agents and their tools.')
    // Options after a command that agentkit runs belong to that command.
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', help)
  for (const { name, description, load } of [...commands, completion]) {
    const command = words === undefined || words.includes(name) ? await load() : new Command(name)
    program.addCommand(command.description(description))
  }
  return program
}
