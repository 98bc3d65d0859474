import { settingRules } from '../contracts/model-settings.ts'
import type { Message } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { validateTranscript } from '../data/transcript.ts'

/** Why a model cannot be sent what a hook has returned as its request, as a sentence; `undefined` for a valid one. */
export function requestProblem(request: Record<string, unknown>): string | undefined {
  const { messages, tools, output } = request
  if (!Array.isArray(messages)) return '`messages` is a list of messages'
  const [first] = validateTranscript(messages as Message[]) // of any type, which the check accepts
  if (first) return `Message ${first.index}: ${first.problem}`
  if (!messages.some(({ role }) => role === 'user')) return '`messages` has no message of the user'
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isToolSpec)))
    return '`tools` is a list of { name, description, inputSchema }'
  if (output !== undefined && !isRecord(output)) return '`output` is a JSON Schema'
  const wrong = Object.entries(settingRules).find(([name, rule]) => {
    return request[name] !== undefined && !rule.holds(request[name])
  })
  return wrong && `\`${wrong[0]}\` is ${wrong[1].is}`
}

function isToolSpec(tool: unknown): boolean {
  if (!isRecord(tool) || !isRecord(tool.inputSchema)) return false
  return typeof tool.name === 'string' && tool.name !== '' && typeof tool.description === 'string'
}
