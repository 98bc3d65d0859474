import { isAgentKitError, type Message } from '@agentkit/core'
import type { SpanEnd, SpanStart } from '@agentkit/core/internal'
import type { Attributes } from '@opentelemetry/api'
import { answerOf, contentOf, cut, instructionsOf, messagesOf, reasonOf } from './content.ts'
import { type Conventions, ownNames } from './conventions.ts'
import { limits } from './limits.ts'

type Naming = { names: Conventions; hasContent: boolean }

/** The operation of a span and what it is about: the two words of its name. */
export function nameOf(about: SpanStart, { operations }: Conventions): { operation: string; subject: string } {
  switch (about.type) {
    case 'run':
      return { operation: about.isWorkflow ? operations.workflow : operations.agent, subject: short(about.name) }
    case 'model':
      return { operation: operations.model, subject: modelOf(about.model) }
    case 'tool':
      return { operation: operations.tool, subject: short(about.name) }
    case 'mcp':
      return { operation: about.method, subject: short(about.tool) }
    case 'retrieval':
      return { operation: operations.retrieval, subject: short(about.source) }
  }
}

/** What is known of a span as it begins. */
export function startAttributes(about: SpanStart, { names, hasContent }: Naming): Attributes {
  const a = names.attributes
  const { operation, subject } = nameOf(about, names)
  const content = (value: unknown): string | undefined => (hasContent ? contentOf(value) : undefined)
  switch (about.type) {
    case 'run':
      return defined({
        [a.operation]: operation,
        [a.agentName]: subject,
        [a.agentDescription]: about.description && cut(about.description, limits.textChars),
        [a.conversation]: about.sessionId,
        [ownNames.agentId]: about.agentId,
        [ownNames.runId]: about.runId,
        // A run that is resumed has no message of its own.
        [a.inputMessages]: about.input?.content && hasContent ? content(messagesOf([about.input])) : undefined,
      })
    case 'model': {
      const { messages, maxOutputTokens, temperature, reasoning, stop, output } = about.request ?? { messages: [] }
      return defined({
        [a.operation]: operation,
        [a.provider]: providerOf(about.model, names),
        [a.requestModel]: subject,
        [a.requestStream]: true,
        [a.conversation]: about.sessionId,
        [ownNames.step]: about.step,
        [a.maxTokens]: maxOutputTokens,
        [a.temperature]: temperature,
        [a.reasoning]: reasoning,
        [a.stop]: stop,
        [a.outputType]: output ? 'json' : undefined,
        [a.instructions]: hasContent ? content(nonEmpty(instructionsOf(messages))) : undefined,
        [a.inputMessages]: hasContent ? content(messagesOf(messages)) : undefined,
      })
    }
    case 'tool':
      return defined({
        [a.operation]: operation,
        [a.toolName]: subject,
        [a.toolType]: 'function',
        [a.toolCallId]: short(about.callId),
        [a.toolDescription]: about.description && cut(about.description, limits.textChars),
        [a.toolArguments]: content(about.input),
      })
    case 'mcp':
      // Without an operation: the tool call around it is counted already.
      return defined({
        [a.mcpMethod]: about.method,
        [a.toolName]: subject,
        [a.mcpProtocol]: about.protocol,
        ...placeOf(about.server, names),
      })
    case 'retrieval':
      return defined({
        [a.operation]: operation,
        [a.dataSource]: subject,
        [a.retrievalLimit]: about.limit,
        [a.query]: hasContent ? content(about.query) : undefined,
      })
  }
}

/** What is known of a span as it ends. */
export function endAttributes(about: SpanStart, end: SpanEnd, { names, hasContent }: Naming): Attributes {
  const a = names.attributes
  const { usage, finishReason, output } = end
  const content = hasContent && output !== undefined ? outputAttributes(about, end, names) : {}
  if (about.type !== 'run' && about.type !== 'model') return defined({ [a.errorType]: errorTypeOf(end), ...content })
  const isModel = about.type === 'model'
  return defined({
    [a.errorType]: errorTypeOf(end),
    [a.responseModel]: end.model && modelOf(end.model),
    [a.finishReasons]: isModel && finishReason !== undefined ? [reasonOf(finishReason)] : undefined,
    [ownNames.finishReason]: isModel ? undefined : finishReason,
    [a.conversation]: end.sessionId,
    ...(usage && {
      [a.inputTokens]: usage.inputTokens,
      [a.outputTokens]: usage.outputTokens,
      [a.cacheReadTokens]: usage.cachedInputTokens,
      [a.cacheWriteTokens]: usage.cacheWriteTokens,
      [a.reasoningTokens]: usage.reasoningTokens,
      [ownNames.estimated]: usage.estimated,
    }),
    ...content,
  })
}

function outputAttributes(
  about: SpanStart,
  { output, finishReason }: SpanEnd,
  { attributes: a }: Conventions,
): Attributes {
  switch (about.type) {
    case 'run':
    case 'model':
      // A message is what core passes for them.
      return defined({ [a.outputMessages]: contentOf([answerOf(output as Message, finishReason)]) })
    case 'tool':
    case 'mcp':
      return defined({ [a.toolResult]: contentOf(output) })
    case 'retrieval':
      return defined({ [a.documents]: contentOf(output) })
  }
}

/** A word of a closed list, as errors have texts of models and tools in them. */
export function errorTypeOf({ error, isError }: SpanEnd): string | undefined {
  if (error === undefined) return isError ? 'tool_error' : undefined
  if (isAgentKitError(error)) return error.code
  // A tool call that its run has ended fails with the reason of its signal.
  if (error instanceof Error && error.name === 'AbortError') return 'aborted'
  return error instanceof Error && /^[A-Za-z]{1,64}$/.test(error.name) ? error.name : '_OTHER'
}

/** The attributes of metrics, which name no user, session or run, and nothing that a model writes. */
export function metricAttributes(
  about: SpanStart,
  end: SpanEnd & { agent: string | undefined },
  names: Conventions,
): Attributes {
  const a = names.attributes
  const { operation, subject } = nameOf(about, names)
  const shared = { [a.operation]: operation, [a.errorType]: errorTypeOf(end) }
  switch (about.type) {
    case 'run':
      return defined({ ...shared, [a.agentName]: subject })
    case 'model': {
      const provider = providerOf(about.model, names)
      const answered = end.model && modelOf(end.model)
      return defined({ ...shared, [a.provider]: provider, [a.requestModel]: subject, [a.responseModel]: answered })
    }
    case 'tool':
      // A tool that a model has made up has no description.
      return defined({
        ...shared,
        [a.toolName]: about.description === undefined ? '_OTHER' : subject,
        [a.toolType]: 'function',
        [a.agentName]: end.agent && short(end.agent),
      })
    case 'mcp':
      return defined({
        [a.mcpMethod]: about.method,
        [a.toolName]: subject,
        [a.errorType]: shared[a.errorType],
        ...placeOf(about.server, names),
      })
    case 'retrieval':
      return defined({ ...shared, [a.dataSource]: subject })
  }
}

/** Where an MCP server is. Its path and query may have a secret. */
function placeOf(server: URL | undefined, { attributes: a }: Conventions): Attributes {
  if (!server) return { [a.networkTransport]: 'pipe' }
  const port = Number(server.port || (server.protocol === 'https:' ? 443 : 80))
  return { [a.networkTransport]: 'tcp', [a.serverAddress]: server.hostname, [a.serverPort]: port }
}

/** `openai` of `openai/gpt-5` and of `openai.responses/gpt-5`. */
function providerOf(model: string, { providers }: Conventions): string {
  const name = model.split('/', 1)[0] ?? model
  for (let known = name; known !== ''; known = known.slice(0, Math.max(0, known.lastIndexOf('.')))) {
    // A name of the list, as it is one of its own keys.
    if (Object.hasOwn(providers, known)) return providers[known as keyof typeof providers]
  }
  return short(name)
}

function modelOf(model: string): string {
  return short(model.slice(model.indexOf('/') + 1))
}

function nonEmpty(list: unknown[]): unknown[] | undefined {
  return list.length > 0 ? list : undefined
}

function short(text: string): string {
  return cut(text, limits.nameChars)
}

function defined(attributes: Record<string, Attributes[string] | undefined>): Attributes {
  const found: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) found[name] = value
  }
  return found
}
