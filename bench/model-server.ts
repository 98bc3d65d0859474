import { createServer, type ServerResponse } from 'node:http'

/**
 * A fast fake of Chat Completions. The model's name is the script: `work-N-T` calls the tool `echo` N times, one call
 * a step, and then answers with T tokens; `-each` behind it sends one event with each write. It keeps no state: the step
 * is read from the request.
 */
type Script = { steps: string[]; answer: string; isWrittenApart: boolean }

const scripts = new Map<string, Script>()
let responses = 0

const server = createServer((request, response) => {
  // Exports of a contestant with telemetry: the collector is not measured.
  if (request.url === '/v1/traces' || request.url === '/v1/metrics') {
    request.resume().on('end', () => response.end())
    return
  }
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => void answer(JSON.parse(Buffer.concat(parts).toString()), response))
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
// The server also ends if the benchmark fails.
process.on('disconnect', () => process.exit())

type Body = { model: string; messages: { role: string; tool_calls?: unknown[] }[]; stream?: boolean }

async function answer({ model, messages, stream }: Body, response: ServerResponse): Promise<void> {
  const script = scriptOf(model)
  const lastUser = messages.findLastIndex((message) => message.role === 'user')
  const step = messages.slice(lastUser).filter((message) => message.tool_calls).length
  const text = (script.steps[step] ?? script.answer).replaceAll('ID', `chatcmpl-${++responses}`)
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(wholeAnswer(text))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  if (script.isWrittenApart) {
    for (const event of text.match(/.+\n\n/g) ?? []) {
      response.write(event)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  response.end(script.isWrittenApart ? '' : text)
}

type Delta = { content?: string; tool_calls?: { id?: string; function: { name?: string; arguments: string } }[] }

/** The same answer as one document. */
function wholeAnswer(events: string): string {
  const chunks = events.match(/(?<=data: )\{.+/g)?.map((data) => JSON.parse(data)) ?? []
  const deltas: Delta[] = chunks.flatMap(({ choices }) => choices[0]?.delta ?? [])
  const parts = deltas.flatMap(({ tool_calls = [] }) => tool_calls)
  const [first] = parts
  const call = { name: first?.function.name, arguments: parts.map((part) => part.function.arguments).join('') }
  const message = {
    role: 'assistant',
    content: deltas.map(({ content }) => content ?? '').join(''),
    ...(first && { tool_calls: [{ id: first.id, type: 'function', function: call }] }),
  }
  const finish_reason = first ? 'tool_calls' : 'stop'
  const { id, created, model } = chunks[0]
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  return JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage: chunks.at(-1).usage })
}

function scriptOf(model: string): Script {
  const known = scripts.get(model)
  if (known) return known
  const [, steps, tokens, each] = /^work-(\d+)-(\d+)(-each)?$/.exec(model) ?? []
  if (!steps || !tokens) throw new Error(`Unknown script "${model}".`)
  const script = {
    steps: Array.from({ length: Number(steps) }, (_, step) => toolStep(step)),
    answer: textStep(Number(tokens)),
    isWrittenApart: each !== undefined,
  }
  scripts.set(model, script)
  return script
}

function toolStep(step: number): string {
  const text = `{"text":"step ${step}"}`
  const call = (part: object): string => chunk({ tool_calls: [{ index: 0, ...part }] })
  return [
    chunk({ role: 'assistant', content: null }),
    call({ id: `call_${step}`, type: 'function', function: { name: 'echo', arguments: '' } }),
    call({ function: { arguments: text.slice(0, 8) } }),
    call({ function: { arguments: text.slice(8) } }),
    chunk({}, 'tool_calls'),
    usage(10),
  ].join('')
}

function textStep(tokens: number): string {
  const deltas = Array.from({ length: tokens }, (_, index) => chunk({ content: ` tok${index % 10}` }))
  return [chunk({ role: 'assistant', content: '' }), ...deltas, chunk({}, 'stop'), usage(tokens)].join('')
}

function chunk(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
  return `data: ${JSON.stringify({ id: 'ID', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}

function usage(completion_tokens: number): string {
  const counts = { prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens }
  return `data: ${JSON.stringify({ id: 'ID', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: counts })}\n\ndata: [DONE]\n\n`
}
