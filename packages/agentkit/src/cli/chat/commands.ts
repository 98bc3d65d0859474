import { terminalLine } from '@agentkit/core'
import { counted, nearestWord } from '@agentkit/core/internal'
import type { ChatAgent } from './chat-agent.ts'
import { type ChatState, newSession } from './chat-state.ts'

/** The commands of a chat, and what each does. */
export const commands: Readonly<Record<string, string>> = {
  '/new': 'begins a new conversation',
  '/sessions': 'lists the conversations; /sessions 2 continues the second one',
  '/retry': 'asks the last question again, in place of the last answer',
  '/waiting': 'decides on the calls that wait in this conversation',
  '/cost': 'shows what this chat has used',
  '/files': 'lists the files of the agent',
  '/tools': 'lists the tools of the agent',
  '/help': 'lists these commands',
  '/exit': 'leaves the chat, as Ctrl-D does',
}

/** Whether a line is a command: a path and a comment of code begin with "/" too. */
export function isCommand(line: string): boolean {
  return /^\/[^\s/*]*(\s|$)/.test(line) && !line.includes('\n')
}

type Chat = { agent: ChatAgent; state: ChatState; say(text: string): Promise<void> }

/**
 * Runs a command that asks no model.
 * @throws Error for an unknown command, with the nearest one
 */
export async function runCommand(word: string, argument: string, chat: Chat): Promise<void> {
  const { agent, state, say } = chat
  switch (word) {
    case '/new':
      state.sessionId = newSession()
      delete state.last
      return say('A new conversation begins.')
    case '/sessions':
      return argument === '' ? listSessions(chat) : chooseSession(argument, chat)
    case '/cost': {
      const { answers, inputTokens, outputTokens, usd, isUnpriced } = state.used
      const cost = answers > 0 && !isUnpriced ? `, $${usd.toFixed(5)}` : ''
      return say(`${counted(answers, 'answer')}: ${inputTokens} tokens in, ${outputTokens} out${cost}.`)
    }
    case '/files': {
      const files = await agent.files()
      return say(files.length === 0 ? 'The agent has no files.' : files.join('\n'))
    }
    case '/tools': {
      const tools = await agent.tools()
      const lines = tools.map(({ name, description }) => `${name}: ${description.split('\n', 1)[0]}`)
      return say(lines.length === 0 ? 'The agent has no tools.' : lines.join('\n'))
    }
    case '/help':
      return say(
        Object.entries(commands)
          .map(([name, description]) => `${name.padEnd(10)} ${description}`)
          .join('\n'),
      )
    default: {
      const nearest = nearestWord(word, Object.keys(commands))
      throw new Error(`There is no command ${word}. ${nearest ? `Did you mean ${nearest}?` : '/help lists them.'}`)
    }
  }
}

async function listSessions({ agent, state, say }: Chat): Promise<void> {
  const sessions = await agent.sessions()
  state.listed = sessions.map(({ sessionId }) => sessionId)
  const lines = sessions.map(({ sessionId, title, updatedAt }, index) => {
    const mark = sessionId === state.sessionId ? ' (this one)' : ''
    return `${index + 1}  ${updatedAt.slice(0, 16).replace('T', ' ')}  ${terminalLine(title)}${mark}`
  })
  await say(lines.length === 0 ? 'There are no conversations yet.' : lines.join('\n'))
}

function chooseSession(argument: string, { state, say }: Chat): Promise<void> {
  const chosen = state.listed[Number(argument) - 1]
  if (chosen === undefined) throw new Error('Pass the number of a conversation that /sessions has listed.')
  state.sessionId = chosen
  delete state.last
  return say('This conversation continues.')
}
