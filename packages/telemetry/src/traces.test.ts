import { Agent, AgentKitError, type AgentRun, type Model, memorySessions, Swarm, tool, workflow } from '@agentkit/core'
import { tracer } from '@agentkit/core/internal'
import { scriptedModel } from '@agentkit/testing'
import { context, type Meter, metrics, SpanKind, type TracerProvider, trace } from '@opentelemetry/api'
import type { Histogram } from '@opentelemetry/sdk-metrics'
import {
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  TracerProvider as SdkTracerProvider,
} from '@opentelemetry/sdk-trace'
import { describe, expect, it, vi } from 'vitest'
import { traced } from './__fixtures__/traced.ts'
import { startTelemetry, type TelemetryOptions } from './start-telemetry.ts'

const input = { type: 'object' }
const usage = { inputTokens: 7, outputTokens: 3 }
const retry = { attempts: 2, firstWaitMs: 1 }
const overloaded = (): AgentKitError => new AgentKitError('overloaded', 'The provider is busy.', { retryable: true })

const look = tool({ name: 'look', description: 'Looks.', input, execute: () => 'nothing there' })
const pay = tool({ name: 'pay', description: 'Pays.', input, needsApproval: true, execute: () => 'paid' })

/** Approves whatever the run asks. */
async function approveAll(run: AgentRun): Promise<void> {
  for await (const event of run) if (event.type === 'approval-request') run.approve(event.approvalId)
}

function sum(spans: readonly ReadableSpan[], attribute: string): number {
  return spans.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0)
}

describe('the trace of a run', () => {
  it('takes attributes of an application: a hook and a tool have the span of what they belong to', async () => {
    await using telemetry = await traced()
    const mark = (name: string) => void trace.getActiveSpan()?.setAttribute(`app.${name}`, true)
    const agent = new Agent({
      name: 'Clerk',
      functions: [{ ...look, execute: () => mark('tool') }],
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Done.']),
      hooks: {
        input: () => mark('input'),
        beforeModel: () => mark('beforeModel'),
        afterModel: () => mark('afterModel'),
        beforeTool: () => mark('beforeTool'),
        afterTool: () => mark('afterTool'),
        output: () => mark('output'),
      },
    })
    await agent.chat('Look.')
    const marks = telemetry.spans().map(({ name, attributes }) => [
      name,
      Object.keys(attributes)
        .filter((key) => key.startsWith('app.'))
        .map((key) => key.slice(4)),
    ])
    expect(marks).toEqual([
      ['chat scripted', []],
      ['execute_tool look', ['beforeTool', 'tool', 'afterTool']],
      ['chat scripted', []],
      ['invoke_agent Clerk', ['input', 'beforeModel', 'afterModel', 'output']],
    ])
  })

  it('is one tree: member, attempts, fallback, tools and approval, and its tokens are those of the run', async () => {
    await using telemetry = await traced()
    const primary = scriptedModel(
      [overloaded(), { toolCalls: [{ name: 'look' }, { name: 'pay' }], usage }, overloaded(), overloaded()],
      {
        id: 'openai/gpt-a',
      },
    )
    const second = scriptedModel([{ text: 'Paid.', usage }], { id: 'azure/gpt-b' })
    const clerk = new Agent({ name: 'Clerk', functions: [look, pay], model: [primary, second], retry })
    const lead = scriptedModel([
      { toolCalls: [{ name: 'clerk', input: { task: 'Pay.' } }], usage },
      { text: 'Done.', usage },
    ])
    const office = new Swarm({ name: 'Office', model: lead, agents: [clerk], sessions: memorySessions() })

    const run = office.stream('Pay the bill', { sessionId: 's1' })
    await approveAll(run)
    const result = await run.result

    expect(result.text).toBe('Done.')
    expect(telemetry.tree()).toEqual([
      'invoke_workflow Office',
      '  chat scripted',
      '  execute_tool clerk',
      '    invoke_agent Clerk',
      '      chat gpt-a !overloaded',
      '      chat gpt-a',
      '      execute_tool look',
      '  invoke_workflow Office',
      '    execute_tool clerk',
      '      invoke_agent Clerk',
      '        execute_tool pay',
      '        chat gpt-a !overloaded',
      '        chat gpt-a !overloaded',
      '        chat gpt-b',
      '    chat scripted',
    ])
    const spans = telemetry.spans()
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1)
    expect(sum(spans, 'gen_ai.usage.input_tokens')).toBe(result.usage.inputTokens)
    expect(sum(spans, 'gen_ai.usage.output_tokens')).toBe(result.usage.outputTokens)
    const chats = spans.filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(chats.every(({ name }) => name.startsWith('chat '))).toBe(true)
    expect(chats.find(({ name }) => name === 'chat gpt-b')?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'azure.ai.openai',
      'gen_ai.request.model': 'gpt-b',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.conversation.id': 's1',
    })
    expect(chats[0]?.attributes['gen_ai.response.finish_reasons']).toEqual(['tool_call'])
  })

  it('has no span of a run that had begun before', async () => {
    const held = Promise.withResolvers<string>()
    const model = scriptedModel([() => held.promise])
    const { result } = new Agent({ name: 'Clerk', model }).stream('Hi')
    await vi.waitFor(() => expect(model.requests).toHaveLength(1))
    await using telemetry = await traced()
    held.resolve('Hello.')
    expect((await result).text).toBe('Hello.')
    expect(telemetry.spans()).toEqual([])
  })

  it('has a link from the run that is resumed to the one that waited', async () => {
    await using telemetry = await traced()
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'Paid.'])
    const agent = new Agent({ name: 'Clerk', functions: [pay], model })
    const { runId, approvals } = await agent.stream('Pay', { sessionId: 's' }).result
    const [waited] = telemetry.spans().filter(({ name }) => name === 'invoke_agent Clerk')
    await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result

    const [, resumed] = telemetry.spans().filter(({ name }) => name === 'invoke_agent Clerk')
    expect(waited?.attributes['agentkit.finish_reason']).toBe('approval')
    expect(resumed?.links.map(({ context }) => context.spanId)).toEqual([waited?.spanContext().spanId])
    expect(resumed?.spanContext().traceId).not.toBe(waited?.spanContext().traceId)
    expect(telemetry.tree()).toEqual([
      ...['invoke_agent Clerk', '  chat scripted'],
      ...['invoke_agent Clerk', '  execute_tool pay', '  chat scripted'],
    ])
  })

  it('has a span for each member that a conversation is handed to, and again after a wait', async () => {
    await using telemetry = await traced()
    const first = new Agent({
      name: 'Desk',
      functions: [],
      model: scriptedModel([{ toolCalls: [{ name: 'transfer_to_payer', input: { reason: 'money' } }] }]),
    })
    const payer = new Agent({
      name: 'Payer',
      functions: [pay],
      model: scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'Paid.']),
    })
    const run = new Swarm({ name: 'Bank', agents: [first, payer], collaboration: 'handoff' }).stream('Pay')
    await approveAll(run)
    expect((await run.result).text).toBe('Paid.')
    expect(telemetry.tree()).toEqual([
      'invoke_workflow Bank',
      '  invoke_agent Desk',
      '    chat scripted',
      '    execute_tool transfer_to_payer',
      '  invoke_agent Payer',
      '    chat scripted',
      '  invoke_workflow Bank',
      '    invoke_agent Payer',
      '      execute_tool pay',
      '      chat scripted',
    ])
  })

  it('has the agents of a workflow, and the runs that a tool starts', async () => {
    await using telemetry = await traced()
    const inner = new Agent({ name: 'Inner', functions: [], model: scriptedModel(['In.']) })
    const ask = tool({ name: 'ask', description: 'Asks.', input, execute: () => inner.chat('?') })
    const outer = new Agent({
      name: 'Outer',
      functions: [ask],
      model: scriptedModel([{ toolCalls: [{ name: 'ask' }] }, 'Out.']),
    })
    await workflow({ name: 'Flow' }).step(outer).run('Go')
    expect(telemetry.tree()).toEqual([
      'invoke_workflow Flow',
      '  invoke_agent Outer',
      '    chat scripted',
      '    execute_tool ask',
      '      invoke_agent Inner',
      '        chat scripted',
      '    chat scripted',
    ])
  })

  it.each([
    ['gemini/gemini-3', 'gcp.gemini'],
    ['openai.responses/gpt-5', 'openai'],
    ['google.generative-ai/gemini-3', 'gcp.gemini'],
    ['google.vertex.chat/gemini-3', 'gcp.vertex_ai'],
    ['amazon-bedrock/nova', 'aws.bedrock'],
    ['acme.openai/large', 'acme.openai'],
    ['openai-like/large', 'openai-like'],
    ['constructor/large', 'constructor'],
  ])('names the provider of %s as the conventions do: %s', async (id, name) => {
    await using telemetry = await traced()
    await new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Yes.'], { id }) }).chat('Hello')
    expect(telemetry.spans().map(({ attributes }) => attributes['gen_ai.provider.name'])).toEqual([name, undefined])
    const usage = (await telemetry.metrics()).find(({ descriptor }) => descriptor.name === 'gen_ai.client.token.usage')
    expect(usage?.dataPoints[0]?.attributes['gen_ai.provider.name']).toBe(name)
  })

  it('has the same error for an aborted run and for its current call', async () => {
    await using telemetry = await traced()
    const stop = new AbortController()
    const execute = () => new Promise(() => stop.abort())
    const wait = tool({ name: 'wait', description: 'Waits.', input: { type: 'object' }, execute })
    const clerk = new Agent({
      name: 'Clerk',
      functions: [wait],
      model: scriptedModel([{ toolCalls: [{ name: 'wait' }] }]),
    })
    const lead = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Wait.' } }] }])
    const office = new Swarm({ name: 'Office', model: lead, agents: [clerk] })
    expect((await office.stream('Wait', { signal: stop.signal }).result).error?.code).toBe('aborted')
    await vi.waitFor(() =>
      expect(telemetry.tree()).toEqual([
        'invoke_workflow Office !aborted',
        '  chat scripted',
        '  execute_tool clerk !aborted',
        '    invoke_agent Clerk !aborted',
        '      chat scripted',
        '      execute_tool wait !aborted',
      ]),
    )
  })

  it('says of a call that did not finish in time, and of one that failed, which of the two', async () => {
    await using telemetry = await traced()
    const slow = tool({
      ...{ name: 'slow', description: 'Waits.', input, timeoutMs: 5 },
      execute: () => new Promise(() => {}),
    })
    const fail = tool({
      ...{ name: 'fail', description: 'Fails.', input },
      execute: () => Promise.reject(new Error('no')),
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'slow' }] }, { toolCalls: [{ name: 'fail' }] }, 'Sorry.'])
    await new Agent({ name: 'Clerk', functions: [slow, fail], model }).chat('Go')
    expect(telemetry.tree()).toEqual([
      'invoke_agent Clerk',
      '  chat scripted',
      '  execute_tool slow !timeout',
      '  chat scripted',
      '  execute_tool fail !tool_error',
      '  chat scripted',
    ])
  })

  it('is continued by the work of a tool, within the process and over HTTP', async () => {
    await using telemetry = await traced()
    let headers: Readonly<Record<string, string>> = {}
    const work = tool({
      name: 'work',
      description: 'Works.',
      input,
      async execute() {
        await new Promise(setImmediate)
        headers = tracer()?.headers() ?? {}
        telemetry.tracerProvider.getTracer('app').startSpan('query', {}, context.active()).end()
        return 'done'
      },
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'work' }] }, 'Done.'])
    await new Agent({ name: 'Worker', functions: [work], model }).chat('Go')
    expect(telemetry.tree()).toContain('    query')
    const call = telemetry.spans().find(({ name }) => name === 'execute_tool work')
    const { traceId, spanId } = call?.spanContext() ?? {}
    expect(headers).toEqual({ traceparent: `00-${traceId}-${spanId}-01` })
  })

  it('continues the trace of a request, and none for a header that is no traceparent', async () => {
    await using telemetry = await traced()
    const agent = new Agent({ name: 'Clerk', functions: [], model: scriptedModel(Array(5).fill('Yes.')) })
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const chat = (traceparent: string): Promise<string> | undefined =>
      tracer()?.continueTrace(
        (name) => (name === 'traceparent' ? traceparent : undefined),
        () => agent.chat('Hello'),
      )
    await chat(`00-${traceId}-b7ad6b7169203331-01`)
    await chat(`00-${'0'.repeat(32)}-b7ad6b7169203331-01`)
    await chat(`${'x'.repeat(10_000)}`)
    // https://www.w3.org/TR/trace-context/#versioning-of-traceparent
    await chat(`00-${traceId}-b7ad6b7169203331-01-what-the-future-will-be-like`)
    await chat(`cc-${traceId}-b7ad6b7169203331-01-what-the-future-will-be-like`)
    const roots = telemetry.spans().filter(({ name }) => name === 'invoke_agent Clerk')
    expect(roots.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      'b7ad6b7169203331',
      undefined,
      undefined,
      undefined,
      'b7ad6b7169203331',
    ])
    expect(roots[0]?.spanContext().traceId).toBe(traceId)
  })

  it('has no content: no question, answer, argument, result, and no text of an error', async () => {
    await using telemetry = await traced()
    await runWithSecrets()
    const exported = JSON.stringify(
      telemetry.spans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    expect(exported).toContain('invoke_agent Clerk')
    expect(exported).not.toContain('confidential')
  })

  it('reads no content of a span that a sampler drops, which decides by the name, the operation and its subject', async () => {
    const decided: unknown[] = []
    const sampler: Sampler = {
      shouldSample(_context, _traceId, name, _kind, attributes) {
        decided.push([name, attributes])
        return { decision: SamplingDecision.NOT_RECORD }
      },
      toString: () => 'none',
    }
    let isRead = false
    const argument = {
      get secret() {
        isRead = true
        return 'x'
      },
    }
    await using _ = startTelemetry({ tracerProvider: new SdkTracerProvider({ sampler }), content: true })
    tracer()?.start({ type: 'tool', name: 'look', callId: 'call_1', description: 'Looks.', input: argument }).end()
    tracer()?.start({ type: 'model', model: 'openai/gpt-5', step: 1 }).end()
    expect(isRead).toBe(false)
    const operation = 'gen_ai.operation.name'
    expect(decided).toEqual([
      [
        'execute_tool look',
        { [operation]: 'execute_tool', 'gen_ai.tool.name': 'look', 'gen_ai.tool.type': 'function' },
      ],
      ['chat gpt-5', { [operation]: 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': 'gpt-5' }],
    ])
  })

  it('has the beginning of a description that is long', async () => {
    await using telemetry = await traced()
    const description = 'x'.repeat(20_000)
    tracer()?.start({ type: 'tool', name: 'look', callId: 'call_1', description, input: {} }).end()
    tracer()
      ?.start({ type: 'run', name: 'Clerk', description, agentId: 'clerk', isWorkflow: false, runId: 'run_1' })
      .end()
    const found = telemetry
      .spans()
      .map(({ attributes: a }) => a['gen_ai.tool.description'] ?? a['gen_ai.agent.description'])
    const beginning = expect.stringMatching(/^x{8192}[^x]+$/)
    expect(found).toEqual([beginning, beginning])
  })

  it('has content by opt-in, without secrets and cut to size', async () => {
    await using telemetry = await traced({ content: true })
    await runWithSecrets('sk-1234567890abcdef', 'x'.repeat(200_000))
    const [call] = telemetry.spans().filter(({ name }) => name === 'execute_tool look')
    expect(call?.attributes['gen_ai.tool.call.arguments']).toContain('confidential argument')
    const chat = telemetry.spans().findLast(({ name }) => name === 'chat scripted')
    expect(
      JSON.parse(String(chat?.attributes['gen_ai.input.messages'])).map(({ role }: { role: string }) => role),
    ).toEqual(['user', 'assistant', 'tool', 'tool'])
    const endings = telemetry.spans().flatMap(({ name, attributes: { 'gen_ai.output.messages': messages } }) => {
      if (messages === undefined) return []
      return JSON.parse(String(messages)).map(({ finish_reason }: { finish_reason: string }) => [name, finish_reason])
    })
    // The schema of the conventions requires it.
    expect(endings).toEqual([
      ['chat scripted', 'tool_call'],
      ['chat scripted', 'stop'],
      ['invoke_agent Clerk', 'stop'],
    ])
    const attributes = telemetry.spans().flatMap(({ attributes }) => Object.values(attributes).map(String))
    // An agent without an instruction has no empty list of them.
    expect(attributes).not.toContain('[]')
    expect(attributes.join()).not.toContain('sk-1234567890abcdef')
    expect(Math.max(...attributes.map(({ length }) => length))).toBeLessThan(70_000)
  })

  it('has the kind of an image that a tool returns, and not its bytes', async () => {
    await using telemetry = await traced({ content: true })
    const base64 = 'iVBORw0KGgo'.repeat(50)
    const parts = [
      { type: 'text', text: 'Here.' },
      { type: 'image', base64, mediaType: 'image/png' },
    ]
    const chart = tool({ name: 'chart', description: 'Draws.', input: { type: 'object' }, execute: () => parts })
    const model = scriptedModel([{ toolCalls: [{ name: 'chart' }] }, 'Done.'])
    await new Agent({ name: 'Clerk', functions: [chart], model }).chat('Draw.')
    const call = telemetry.spans().find(({ name }) => name === 'execute_tool chart')
    expect(JSON.parse(String(call?.attributes['gen_ai.tool.call.result']))).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'blob', modality: 'image', mime_type: 'image/png' },
    ])
    expect(JSON.stringify(telemetry.spans().map(({ attributes }) => attributes))).not.toContain('iVBORw0KGgo')
  })

  it('has the finish reason `error` of an answer that broke off, and none of one that has not begun', async () => {
    await using telemetry = await traced()
    const busy = new AgentKitError('overloaded', 'Busy.', { retryable: true })
    let calls = 0
    const model: Model = {
      id: 'test/breaking',
      async *stream(request, signal) {
        calls++
        if (calls === 2) yield { type: 'text-delta', text: 'Half of' }
        if (calls < 3) throw busy
        yield* scriptedModel(['Whole.']).stream(request, signal)
      },
    }
    await new Agent({ name: 'Clerk', functions: [], model, retry: { attempts: 3, firstWaitMs: 1 } }).chat('Go')
    const attempts = telemetry.spans().filter(({ name }) => name === 'chat breaking')
    const reasons = attempts.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])
    expect(reasons).toEqual([undefined, ['error'], ['stop']])
  })

  it('names a tool that a model has made up in no metric', async () => {
    await using telemetry = await traced()
    const model = scriptedModel([{ toolCalls: [{ name: 'made_up_by_the_model' }] }, { text: 'Done.', usage }])
    await new Agent({ name: 'Clerk', functions: [], model }).chat('Go')
    const metrics = await telemetry.metrics()
    expect(JSON.stringify(metrics)).not.toContain('made_up')
    expect(metrics.map(({ descriptor }) => descriptor.name).toSorted()).toEqual([
      'gen_ai.client.inference.duration',
      'gen_ai.client.inference.usage.input_tokens',
      'gen_ai.client.inference.usage.output_tokens',
      'gen_ai.client.token.usage',
      'gen_ai.execute_tool.duration',
      'gen_ai.invoke_agent.duration',
      'gen_ai.invoke_agent.inference_calls',
      'gen_ai.invoke_agent.tool_calls',
    ])
  })

  it('measures a tool by the agent that calls it', async () => {
    await using telemetry = await traced()
    const turns = () => scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Done.'])
    const clerk = new Agent({ name: 'Clerk', functions: [look], model: turns() })
    const lead = scriptedModel([{ toolCalls: [{ name: 'clerk', input: { task: 'Look.' } }] }, 'Done.'])
    await new Swarm({ name: 'Office', functions: [], model: lead, agents: [clerk] }).chat('Go')
    await new Agent({ name: 'Guide', functions: [look], model: turns() }).chat('Go')
    const all = await telemetry.metrics()
    const points = all.find(({ descriptor }) => descriptor.name === 'gen_ai.execute_tool.duration')?.dataPoints ?? []
    const names = points.map(({ attributes }) => [attributes['gen_ai.agent.name'], attributes['gen_ai.tool.name']])
    expect(names.toSorted()).toEqual([['Clerk', 'look'], ['Guide', 'look'], ['Office', 'clerk']]) // biome-ignore format: pairs
    expect(points[0]?.attributes['gen_ai.tool.type']).toBe('function')
  })

  it('has a search of files as the conventions have it', async () => {
    await using telemetry = await traced()
    tracer()?.start({ type: 'retrieval', source: 'handbook', query: 'tides', limit: 5 }).end()
    const [span] = telemetry.spans()
    expect([span?.name, span?.kind]).toEqual(['retrieval', SpanKind.INTERNAL])
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.data_source.id': 'handbook',
      'gen_ai.retrieval.top_k': 5,
    })
    // https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/retrieval.md
    expect((await telemetry.metrics()).map(({ descriptor }) => descriptor.name)).toEqual(['gen_ai.retrieval.duration'])
  })

  it('measures calls and runs of minutes as the conventions have it: their units and boundaries', async () => {
    await using telemetry = await traced()
    await new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Done.']) }).chat('Go')
    const metrics = await telemetry.metrics()
    const ofAgents = metrics.filter(({ descriptor }) => descriptor.name.startsWith('gen_ai.invoke_agent.'))
    const forms = ofAgents.map(({ descriptor, dataPoints }) => {
      const histogram = dataPoints[0]?.value as Histogram | undefined // of one instrument, by its name
      const boundaries = histogram?.buckets.boundaries
      return [descriptor.name, descriptor.unit, boundaries?.[0], boundaries?.at(-1)]
    })
    // https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/gen-ai-metrics.md
    expect(forms.toSorted()).toEqual([
      ['gen_ai.invoke_agent.duration', 's', 0.1, 409.6],
      ['gen_ai.invoke_agent.inference_calls', '{inference_call}', 1, 128],
      ['gen_ai.invoke_agent.tool_calls', '{tool_call}', 1, 128],
    ])
  })
})

describe('startTelemetry', () => {
  it('runs once per process, and traces nothing once it is closed', async () => {
    {
      await using _ = await traced()
      await expect(traced()).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    expect(tracer()).toBeUndefined()
    await using again = await traced()
    expect(again.spans()).toEqual([])
  })

  it('uses the provider that the process has registered', async () => {
    await using telemetry = await traced()
    trace.setGlobalTracerProvider(telemetry.tracerProvider)
    try {
      const { hasProvider } = await import('./registered.ts')
      expect(hasProvider()).toBe(true)
    } finally {
      trace.disable()
    }
  })

  it('exports the spans that the providers of the process hold, as the process may exit', async () => {
    const flushed: string[] = []
    const provider = (kind: string) => ({ forceFlush: async () => void flushed.push(kind), getTracer, getMeter })
    const getTracer = () => trace.getTracer('none')
    const getMeter = () => metrics.getMeter('none')
    const telemetry = startTelemetry({ tracerProvider: provider('traces'), meterProvider: provider('metrics') })
    await Promise.all([telemetry.close(), telemetry.close()])
    expect(flushed).toEqual(['traces', 'metrics'])
  })

  it('fails no run where a processor, a span or a meter of the process throws', async () => {
    const fail = (): never => {
      throw new Error('A processor threw.')
    }
    const processor = { onStart: fail, onEnd: fail, forceFlush: async () => fail(), shutdown: async () => {} }
    const nothing = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 })
    const span = Object.assign(nothing, { isRecording: () => true, setAttributes: fail, end: fail })
    // Not the meter itself, which the whole process shares.
    const meter: Meter = Object.assign(Object.create(metrics.getMeter('none')), {
      createHistogram: () => ({ record: fail }),
    })
    for (const options of [
      { tracerProvider: new SdkTracerProvider({ spanProcessors: [processor] }) },
      { tracerProvider: { getTracer: () => ({ ...trace.getTracer('none'), startSpan: () => span }) } },
      { meterProvider: { getMeter: () => meter } },
    ] satisfies TelemetryOptions[]) {
      await using _ = startTelemetry(options)
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, 'Done.'])
      expect(await new Agent({ name: 'Clerk', functions: [look], model }).chat('Go')).toBe('Done.')
    }
  })

  it('refuses something other than a provider', () => {
    // In JavaScript.
    const wrong = { tracerProvider: {} as TracerProvider }
    expect(() => startTelemetry(wrong)).toThrow(
      '`startTelemetry().tracerProvider` is a TracerProvider of OpenTelemetry.',
    )
  })
})

/** A run whose question, answer, argument, result, tool error and provider error are all confidential. */
async function runWithSecrets(...more: string[]): Promise<void> {
  const text = `confidential ${more.join(' ')}`
  const tools = [
    tool({ name: 'look', description: 'Looks.', input, execute: () => text }),
    tool({
      name: 'fail',
      description: 'Fails.',
      input,
      execute() {
        throw new Error(text)
      },
    }),
  ]
  const model = scriptedModel([
    { toolCalls: [{ name: 'look', input: { what: 'confidential argument' } }, { name: 'fail' }] },
    new AgentKitError('overloaded', text, { retryable: true }),
    { text },
  ])
  const agent = new Agent({ name: 'Clerk', instruction: text, functions: tools, model, retry })
  await agent.chat(text)
}
