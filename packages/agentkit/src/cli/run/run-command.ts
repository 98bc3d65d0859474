import { Command, Option } from 'commander'
import { idText } from '../common/id-text.ts'
import type { RunFlags } from './run-question.ts'

/** `agentkit run agent.ts "question"`: one question, and its answer on the standard output. */
export function runCommand(): Command {
  return new Command('run')
    .argument('[file]', 'the file of the agent (default: agent.ts, app.ts, also in src/)')
    .argument('[question]', 'the question, in quotes (default, and for -: the standard input)')
    .option('--agent <id>', 'the agent, where the file has several')
    .option('--user <id>', 'whose question it is', idText('--user'))
    .option('--session <id>', 'the conversation to continue', idText('--session'))
    .addOption(new Option('--json', 'print the answer as the body of POST /api/v1/chat').conflicts('stream'))
    .addOption(new Option('--stream', 'print each event of the run as a line of JSON'))
    .addHelpText('after', examples)
    .action(async (file: string | undefined, question: string | undefined, flags: RunFlags) => {
      const { runQuestion } = await import('./run-question.ts')
      const code = await runQuestion([file, question], flags)
      // Ctrl-C may come while the question is read, or while the file waits for something.
      if (code > 128) process.exit(code)
      process.exitCode = code
    })
}

const examples = `
Examples:
  agentkit run "What is the weather in Oslo?"
  agentkit run src/team.ts "Compare the two reports" --agent analyst
  cat report.txt | agentkit run agent.ts
  agentkit run "Hello" --json | jq .cost

Exit codes: 0 answered, 1 failed, 2 wrong usage, 3 stopped by a budget, by max_steps or without progress,
4 waits for an approval, 130 Ctrl-C.`
