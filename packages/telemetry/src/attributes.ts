import { isAgentKitError, type Message } from '@agentkit/core'
import type { SpanEnd, SpanStart } from '@agentkit/core/internal'
import type { Attributes } from '@opentelemetry/api'
import { answerOf, contentOf, cut, instructionsOf, messagesOf, reasonOf } from './content.ts'
import { type Conventions, ownNames } from './conventions.ts'
import { limits } from './limits.ts'

type Naming = { names: Conventions; hasContent: boolean }

/** The name of a span, and the attributes that samplers read. The conventions say which those are. */
export function beginningOf(about: SpanStart, names: Conventions): { name: string; attributes: Attributes } {
  const a = names.attributes
  const { operation, subject } = nameOf(about, names)
  // A search has its source as an attribute alone.
  const name = about.type === 'retrieval' ? operation : `${operation} ${subject}`
  switch (about.type) {
    case 'run': {
      const attributes = { [a.operation]: operation, [a.agentName]: subject }
      put(attributes, a.conversation, about.sessionId)
      put(attributes, ownNames.agentId, about.agentId)
      put(attributes, ownNames.runId, about.runId)
      return { name, attributes }
    }
    case 'model': {
      const provider = providerOf(about.model, names)
      return { name, attributes: { [a.operation]: operation, [a.provider]: provider, [a.requestModel]: subject } }
    }
    case 'tool':
      return { name, attributes: { [a.operation]: operation, [a.toolName]: subject, [a.toolType]: 'function' } }
    case 'mcp':
      // Without an operation: the tool call around it is counted already.
      return { name, attributes: { [a.mcpMethod]: about.method, [a.toolName]: subject } }
    case 'retrieval':
      return { name, attributes: { [a.operation]: operation, [a.dataSource]: subject } }
  }
}

/** The operation and the object of a span: the two words of most names. */
function nameOf(about: SpanStart, { operations }: Conventions): { operation: string; subject: string } {
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

/** Further attributes of a span at its start, only for recorded spans, because content takes time. */
export function startAttributes(about: SpanStart, { names, hasContent }: Naming): Attributes {
  const a = names.attributes
  const found: Attributes = {}
  switch (about.type) {
    case 'run':
      put(found, a.agentDescription, about.description && cut(about.description, limits.textChars))
      // A run that is resumed has no message of its own.
      if (hasContent && about.input?.content) put(found, a.inputMessages, contentOf(messagesOf([about.input])))
      return found
    case 'model': {
      put(found, a.requestStream, true)
      put(found, a.conversation, about.sessionId)
      put(found, ownNames.step, about.step)
      if (!about.request) return found
      const { messages, maxOutputTokens, temperature, reasoning, stop, output } = about.request
      put(found, a.maxTokens, maxOutputTokens)
      put(found, a.temperature, temperature)
      put(found, a.reasoning, reasoning)
      put(found, a.stop, stop)
      if (output) put(found, a.outputType, 'json')
      if (!hasContent) return found
      put(found, a.instructions, contentOf(nonEmpty(instructionsOf(messages))))
      put(found, a.inputMessages, contentOf(messagesOf(messages)))
      return found
    }
    case 'tool':
      put(found, a.toolCallId, short(about.callId))
      put(found, a.toolDescription, about.description && cut(about.description, limits.textChars))
      if (hasContent) put(found, a.toolArguments, contentOf(about.input))
      return found
    case 'mcp':
      put(found, a.mcpProtocol, about.protocol)
      return Object.assign(found, placeOf(about.server, names))
    case 'retrieval':
      put(found, a.retrievalLimit, about.limit)
      if (hasContent) put(found, a.query, contentOf(about.query))
      return found
  }
}

/** The attributes of a span at its end. */
export function endAttributes(about: SpanStart, end: SpanEnd, { names, hasContent }: Naming): Attributes {
  const a = names.attributes
  const { usage, finishReason, output } = end
  const found: Attributes = {}
  put(found, a.errorType, errorTypeOf(end))
  if (about.type === 'run' || about.type === 'model') {
    put(found, a.responseModel, end.model && modelOf(end.model))
    if (about.type === 'run') put(found, ownNames.finishReason, finishReason)
    else if (finishReason !== undefined) put(found, a.finishReasons, [reasonOf(finishReason)])
    put(found, a.conversation, end.sessionId)
    if (usage) {
      put(found, a.inputTokens, usage.inputTokens)
      put(found, a.outputTokens, usage.outputTokens)
      put(found, a.cacheReadTokens, usage.cachedInputTokens)
      put(found, a.cacheWriteTokens, usage.cacheWriteTokens)
      put(found, a.reasoningTokens, usage.reasoningTokens)
      put(found, ownNames.estimated, usage.estimated)
    }
  }
  return hasContent && output !== undefined ? Object.assign(found, outputAttributes(about, end, names)) : found
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

/** The address of an MCP server, without its path and query, which may contain a secret. */
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

function put(attributes: Attributes, name: string, value: Attributes[string] | undefined): void {
  if (value !== undefined) attributes[name] = value
}

function defined(attributes: Record<string, Attributes[string] | undefined>): Attributes {
  const found: Attributes = {}
  for (const name in attributes) {
    const value = attributes[name]
    if (value !== undefined) found[name] = value
  }
  return found
}
