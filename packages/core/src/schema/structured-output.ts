import type { ModelInfo, ModelRequest, ToolCall, ToolSpec } from '../contracts/model.ts'
import type { AssistantMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { untilAborted } from '../util/async/abort.ts'
import { cutText } from '../util/text/cut-text.ts'
import { redactSecrets } from '../util/text/redact.ts'
import { findJSON } from './find-json.ts'
import { freeName, type OutputFormat } from './output-format.ts'

export { checkOutput, compileOutput, type OutputFormat } from './output-format.ts'

/** How an output schema is enforced: by the provider, or by a tool whose input is the answer. */
export type OutputStrategy = 'native' | 'final-tool'

/** By the abilities of the provider; an unknown model can call tools. */
const strategies: Record<
  NonNullable<ModelInfo['nativeOutput']>,
  { alone: OutputStrategy; withTools: OutputStrategy }
> = {
  always: { alone: 'native', withTools: 'native' },
  'without-tools': { alone: 'native', withTools: 'final-tool' },
  never: { alone: 'final-tool', withTools: 'final-tool' },
}

/** The strategy for a model, in a run with or without tools. */
export function outputStrategy(info: ModelInfo | undefined, hasTools: boolean): OutputStrategy {
  const { alone, withTools } = strategies[info?.nativeOutput ?? 'never']
  return hasTools ? withTools : alone
}

/** A unique name for the tool that takes the answer. */
export function finalToolName(tools: readonly { name: string }[] = []): string {
  return freeName(
    'final_answer',
    tools.map(({ name }) => name),
  )
}

const description =
  'Gives your final answer and ends the run. Call it alone, once you know all you need: no other form of answer is accepted.'

/** A request for an answer with this schema; the model may still call the request's own tools first. */
export function askForOutput(request: ModelRequest, format: OutputFormat, strategy: OutputStrategy): ModelRequest {
  if (strategy === 'native') return { ...request, output: format.json }
  const { tools = [], toolChoice } = request
  const name = finalToolName(tools)
  const finalTool: ToolSpec = { name, description, inputSchema: format.json }
  const isOnlyAnswer = tools.length === 0 || toolChoice === 'none'
  // A tool that the agent chooses for its first step comes before the answer.
  const chosen = typeof toolChoice === 'object' ? toolChoice : 'required'
  return { ...request, tools: [...tools, finalTool], toolChoice: isOnlyAnswer ? { tool: name } : chosen }
}

/** The answer in a model's reply. */
export type ReadOutput =
  /** The reply calls other tools. */
  | { kind: 'tools' }
  /** `value` is the schema's output, `text` the JSON that the model wrote. */
  | { kind: 'output'; value: unknown; text: string }
  /** Why no answer is valid, in sentences for the model. */
  | { kind: 'problems'; problems: string }

/**
 * Finds the answer in a reply: in the calls of the tool that takes it, otherwise in the text. The last valid one counts.
 * @param finalTool the name of the tool that takes the answer
 * @throws AgentKitError when the signal aborts
 */
export async function readOutput(
  reply: { text: string; calls: readonly ToolCall[] },
  format: OutputFormat,
  signal: AbortSignal,
  finalTool?: string,
): Promise<ReadOutput> {
  if (reply.calls.some(({ name }) => name !== finalTool)) return { kind: 'tools' }
  const candidates = reply.calls.length > 0 ? answersIn(reply.calls) : findJSON(reply.text)
  let closest: { length: number; problems: string[] } | undefined
  for (const { text, value } of candidates) {
    // A check of the user's, such as one that asks a database, may take for ever.
    const checked = await untilAborted(signal, Promise.resolve(format.validate(value)))
    if (!checked.problems) return { kind: 'output', value: checked.value, text }
    // The longest candidate is the answer; shorter ones are examples.
    if (!closest || text.length > closest.length) closest = { length: text.length, problems: checked.problems }
  }
  return { kind: 'problems', problems: cleanProblems(closest ? schemaProblems(closest.problems) : missingJSON(reply)) }
}

/** The answers in the inputs of calls, last first. An input that does not parse may still contain one. */
function* answersIn(calls: readonly ToolCall[]): ReturnType<typeof findJSON> {
  for (const { input, inputText } of calls.toReversed()) {
    const written = inputText ?? (typeof input === 'string' ? input : JSON.stringify(input))
    if (written !== undefined) yield* findJSON(written)
  }
}

function schemaProblems(problems: readonly string[]): string {
  return `It does not fit the schema. ${problems.map((problem) => problem.replace(/\.$/, '')).join('; ')}.`
}

function missingJSON({ text, calls }: { text: string; calls: readonly ToolCall[] }): string {
  const invalid = calls.find((call) => call.invalid !== undefined)?.invalid
  if (invalid !== undefined) return `Its arguments are not valid JSON (${invalid}).`
  return text.trim() === '' ? 'It is empty.' : 'It contains no complete JSON object.'
}

/** Redacts and cuts the messages of a schema, which may contain anything. */
function cleanProblems(problems: string): string {
  const clean = redactSecrets(problems.slice(0, limits.toolErrorBytes * 2))
  return cutText(clean, limits.toolErrorBytes, problems.length)
}

/**
 * The note for a model, sent once, whose answer is invalid.
 * @param finalTool the name of the tool that takes the answer, for the strategy `final-tool`
 */
export function repairNote(problems: string, format: OutputFormat, finalTool?: string): string {
  // Some servers ignore the schema of a request, so the note repeats it.
  const form = `with JSON alone that follows this JSON Schema: ${JSON.stringify(format.json)}`
  return `Your answer was not accepted. ${problems} Answer again ${finalTool === undefined ? form : `by calling ${finalTool}.`}`
}

/**
 * The message that is stored for a valid answer: its text is the answer's JSON, without the call, so that any provider's
 * model may read it later.
 */
export function asTextAnswer(message: AssistantMessage, text: string): AssistantMessage {
  const { content } = message
  const written = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (written === text && toolCalls(message).length === 0) return message
  // Without the reasoning too: some providers accept it only together with the original answer.
  return { ...message, content: [{ type: 'text', text }] }
}
