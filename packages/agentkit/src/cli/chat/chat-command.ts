import { Command } from 'commander'
import { idText } from '../common/id-text.ts'
import type { ChatFlags } from './chat.ts'

/** `agentkit chat`: a conversation with an agent of a file, or of a server. */
export function chatCommand(): Command {
  return new Command('chat')
    .argument('[file | url]', 'the file of the agent, or the address of an agentkit server')
    .option('--agent <id>', 'the agent, where the file has several')
    .option('--user <id>', 'who asks', idText('--user'), 'default')
    .option('--session <id>', 'the conversation to continue', idText('--session'))
    .addHelpText('after', examples)
    .action(async (place: string | undefined, flags: ChatFlags) => {
      const { chat } = await import('./chat.ts')
      const code = await chat(place, flags)
      // Open connections to a server would keep the process for some seconds.
      process.exit(code)
    })
}

const examples = `
Examples:
  agentkit chat
  agentkit chat src/team.ts --agent analyst
  AGENTKIT_TOKEN=… agentkit chat https://agents.example.com

In the chat: /help lists the commands, @notes.md sends a file, Ctrl-C stops the answer, twice it leaves.
Exit codes: 0 left, 1 failed, or a question of a pipe had no answer, 2 wrong usage, or no server at the address.`
