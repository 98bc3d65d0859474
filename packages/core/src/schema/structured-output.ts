import type { ModelInfo, ModelRequest, ToolCall, ToolSpec } from '../contracts/model.ts'
import type { AssistantMessage } from '../data/message.ts'
import { toolCalls } from '../data/transcript.ts'
import { limits } from '../limits.ts'
import { cutText } from '../util/cut-text.ts'
import { redactSecrets } from '../util/redact.ts'
import { findJSON } from './find-json.ts'
import { freeName, type OutputFormat } from './output-format.ts'

export { checkOutput, compileOutput, type OutputFormat } from './output-format.ts'

/** How a model is held to a form: by its provider, or by a tool whose input is the answer. */
export type OutputStrategy = 'native' | 'final-tool'

/** By what the provider can; a model of which nothing is known can call tools. */
const strategies: Record<
  NonNullable<ModelInfo['nativeOutput']>,
  { alone: OutputStrategy; withTools: OutputStrategy }
> = {
  always: { alone: 'native', withTools: 'native' },
  'without-tools': { alone: 'native', withTools: 'final-tool' },
  never: { alone: 'final-tool', withTools: 'final-tool' },
}

/** How a model of which this is known is held to a form, in a run that has tools of its own or none. */
export function outputStrategy(info: ModelInfo | undefined, hasTools: boolean): OutputStrategy {
  const { alone, withTools } = strategies[info?.nativeOutput ?? 'never']
  return hasTools ? withTools : alone
}

/** The name of the tool that takes the answer: one that no other tool has. */
export function finalToolName(tools: readonly { name: string }[] = []): string {
  return freeName(
    'final_answer',
    tools.map(({ name }) => name),
  )
}

const description =
  'Gives your final answer and ends the work. Call it alone, once you know all you need: an answer in any other form is not taken.'

/**
 * A request for an answer in this form; the model may still call the request's own tools first.
 * @param name what the tool that takes the answer is called, where the strategy wants one
 */
export function askForOutput(
  request: ModelRequest,
  format: OutputFormat,
  strategy: OutputStrategy,
  name: string = finalToolName(request.tools),
): ModelRequest {
  if (strategy === 'native') return { ...request, output: format.json }
  const { tools = [] } = request
  const finalTool: ToolSpec = { name, description, inputSchema: format.json }
  return { ...request, tools: [...tools, finalTool], toolChoice: tools.length === 0 ? { tool: name } : 'required' }
}

/** What a model's reply says of the answer. */
export type ReadOutput =
  /** It calls other tools. */
  | { kind: 'tools' }
  /** `value` is what the schema makes of the answer, `text` the JSON that the model wrote. */
  | { kind: 'output'; value: unknown; text: string }
  /** Why there is no answer that fits, in sentences for the model. */
  | { kind: 'problems'; problems: string }

/**
 * Looks for the answer in a reply: in the calls of the tool that takes it, otherwise in the text. Of several the last
 * one that fits counts.
 * @param finalTool the name of the tool that takes the answer
 */
export async function readOutput(
  reply: { text: string; calls: readonly ToolCall[] },
  format: OutputFormat,
  finalTool?: string,
): Promise<ReadOutput> {
  if (reply.calls.some(({ name }) => name !== finalTool)) return { kind: 'tools' }
  const candidates = reply.calls.length > 0 ? answersIn(reply.calls) : findJSON(reply.text)
  let closest: { length: number; problems: string[] } | undefined
  for (const { text, value } of candidates) {
    const checked = await format.validate(value)
    if (!checked.problems) return { kind: 'output', value: checked.value, text }
    // The longest one is the answer; shorter ones are examples and asides.
    if (!closest || text.length > closest.length) closest = { length: text.length, problems: checked.problems }
  }
  return { kind: 'problems', problems: told(closest ? misfit(closest.problems) : noJSON(reply)) }
}

/** The inputs of calls, the last one first. What does not parse as a whole may still hold the answer. */
function* answersIn(calls: readonly ToolCall[]): ReturnType<typeof findJSON> {
  for (const { input, inputText } of calls.toReversed()) {
    const written = inputText ?? (typeof input === 'string' ? input : JSON.stringify(input))
    if (written !== undefined) yield* findJSON(written)
  }
}

function misfit(problems: readonly string[]): string {
  return `It does not fit the schema. ${problems.map((problem) => problem.replace(/\.$/, '')).join('; ')}.`
}

function noJSON({ text, calls }: { text: string; calls: readonly ToolCall[] }): string {
  const invalid = calls.find((call) => call.invalid !== undefined)?.invalid
  if (invalid !== undefined) return `Its arguments are not valid JSON (${invalid}).`
  return text.trim() === '' ? 'It is empty.' : 'It holds no JSON object that is complete.'
}

/** A schema's own words may hold anything, and be as long as the answer. */
function told(problems: string): string {
  const clean = redactSecrets(problems.slice(0, limits.toolErrorBytes * 2))
  return cutText(clean, limits.toolErrorBytes, problems.length)
}

/**
 * What to tell a model once when its text is not the answer that was asked for.
 * @param finalTool the name of the tool that takes the answer, where the strategy has one
 */
export function repairNote(problems: string, format: OutputFormat, finalTool?: string): string {
  // Whether a server takes note of a request's schema, only its answers tell.
  const form = `with JSON alone that follows this JSON Schema: ${JSON.stringify(format.json)}`
  return `Your answer was not taken. ${problems} Answer again ${finalTool === undefined ? form : `by calling ${finalTool}.`}`
}

/**
 * A reply as it is stored once its answer is taken: a message whose text is the answer's JSON, without the call, so
 * that a model of any provider may read it later.
 */
export function asTextAnswer(message: AssistantMessage, text: string): AssistantMessage {
  const { content } = message
  const written = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (written === text && toolCalls(message).length === 0) return message
  // Reasoning goes too: some providers take it back only together with what it led to.
  return { ...message, content: [{ type: 'text', text }] }
}
