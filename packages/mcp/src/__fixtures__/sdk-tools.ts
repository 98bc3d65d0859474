import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The questions of `ask`, by their kinds. */
const questions = {
  boolean: { confirm: { type: 'boolean' as const, title: 'Really?' } },
  reasoned: { confirm: { type: 'boolean' as const }, reason: { type: 'string' as const } },
  nothing: {},
  text: { password: { type: 'string' as const } },
  several: { one: { type: 'boolean' as const }, two: { type: 'boolean' as const } },
}
const kinds = ['boolean', 'reasoned', 'nothing', 'text', 'several', 'long', 'url', 'often'] as const
type Kind = (typeof kinds)[number]

const message = (kind: Kind): string => `Is ${kind} fine?${kind === 'long' ? ' '.repeat(4000) : ''}`
const schemaOf = (kind: Kind) => ({
  type: 'object' as const,
  properties: questions[kind as keyof typeof questions] ?? questions.boolean,
})
const text = (value: unknown) => ({
  content: [{ type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }],
})
/** One pixel. */
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const picture = { content: [{ type: 'image' as const, data: image, mimeType: 'image/png' }] }

/** How many calls of `wait` were cancelled. */
let cancelled = 0

/** Ends with the call's cancellation. */
function cancellation(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      cancelled++
      resolve()
    })
  })
}

/** `ask-late` asks while `wait-for-late` runs. */
const waiting = Promise.withResolvers<void>()
const askedLate = Promise.withResolvers<void>()

/** A server of the SDK 1.x. */
export function oldTools(): OldServer {
  const server = new OldServer({ name: 'old', version: '1' })
  server.registerTool('echo', { description: 'Returns the text.', inputSchema: { text: z.string() } }, ({ text: given }) =>
    text(given),
  )
  server.registerTool(
    'remove',
    { description: 'Removes a file.', inputSchema: { file: z.string() }, annotations: { destructiveHint: true } },
    ({ file }) => text(`removed ${file}`),
  )
  server.registerTool('picture', { description: 'A picture.' }, () => picture)
  server.registerTool('weather', { description: 'The weather.', outputSchema: { degrees: z.number() } }, () => ({
    ...text({ degrees: 7 }),
    structuredContent: { degrees: 7 },
  }))
  server.registerTool('steps', { description: 'Takes three steps.' }, async ({ sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken ?? 0
    for (const progress of [1, 2, 3]) {
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
    }
    return text(_meta?.progressToken === undefined ? 'no progress wanted' : 'three steps')
  })
  server.registerTool('wait', { description: 'Waits.' }, async ({ signal }) => {
    await cancellation(signal)
    return text('cancelled')
  })
  server.registerTool('cancelled', { description: 'How many calls were cancelled.' }, () => text(String(cancelled)))
  server.registerTool('die', { description: 'Ends the process.' }, () => process.exit(1))
  server.registerTool('ask-late', { description: 'Asks after its call.' }, async ({ signal }) => {
    await Promise.all([cancellation(signal), waiting.promise])
    await server.server.elicitInput({ message: message('nothing'), requestedSchema: schemaOf('nothing') })
    askedLate.resolve()
    return text('late')
  })
  server.registerTool('wait-for-late', { description: 'Waits for that.' }, async () => {
    waiting.resolve()
    await askedLate.promise
    return text('done')
  })
  server.registerTool('login', { description: 'Wants a login.' }, () => {
    throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Log in', url: 'http://127.0.0.1:1/login', elicitationId: '1' }])
  })
  server.registerTool('ask', { description: 'Asks.', inputSchema: { kind: z.enum(kinds) } }, async ({ kind }, extra) => {
    const related = { relatedRequestId: extra.requestId, timeout: 2 ** 31 - 1 }
    const ask = () => server.server.elicitInput({ message: message(kind), requestedSchema: schemaOf(kind) }, related)
    if (kind === 'url') {
      const url = 'http://127.0.0.1:1/login'
      return text(await server.server.elicitInput({ mode: 'url', message: message(kind), url, elicitationId: '1' }, related))
    }
    if (kind !== 'often') return text(await ask())
    const actions: string[] = []
    while (actions.length < 20) actions.push((await ask()).action)
    return text(actions.join())
  })
  return server
}

/** A server of the SDK 2.x. */
export function newTools(): McpServer {
  const server = new McpServer({ name: 'new', version: '1' })
  const input = <Input>(properties: object) => fromJsonSchema<Input>({ type: 'object', properties } as never) // a literal
  const inputSchema = input<{ text: string }>({ text: { type: 'string' } })
  server.registerTool('echo', { description: 'Returns the text.', inputSchema }, ({ text: given }) => ({
    ...text(given),
    structuredContent: { text: given },
  }))
  server.registerTool('picture', { description: 'A picture.' }, () => picture)
  const outputSchema = input<{ degrees: number }>({ degrees: { type: 'number' } })
  server.registerTool('weather', { description: 'The weather.', outputSchema }, () => ({
    ...text({ degrees: 7 }),
    structuredContent: { degrees: 7 },
  }))
  server.registerTool('steps', { description: 'Takes three steps.' }, async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {}
    if (progressToken === undefined) return text('no progress wanted')
    for (const progress of [1, 2, 3]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
    }
    return text('three steps')
  })
  server.registerTool('wait', { description: 'Waits.' }, async ({ mcpReq }) => {
    await cancellation(mcpReq.signal)
    return text('cancelled')
  })
  server.registerTool('cancelled', { description: 'How many calls were cancelled.' }, () => text(String(cancelled)))
  server.registerTool('die', { description: 'Ends the process.' }, () => process.exit(1))
  const kindSchema = input<{ kind: Kind }>({ kind: { enum: [...kinds] } })
  server.registerTool('ask', { description: 'Asks.', inputSchema: kindSchema }, async ({ kind }, { mcpReq }) => {
    const before = mcpReq.requestState<string>()
    const round = Number(before ?? 0)
    const answer = mcpReq.inputResponses?.answer
    if (answer && kind !== 'often') return text(answer)
    const request =
      kind === 'url'
        ? inputRequired.elicitUrl({ message: message(kind), url: 'http://127.0.0.1:1/login' })
        : inputRequired.elicit({ message: message(kind), requestedSchema: schemaOf(kind) })
    if (round >= 20) return text('asked often')
    return inputRequired({ inputRequests: { answer: request }, requestState: String(round + 1) })
  })
  return server
}
