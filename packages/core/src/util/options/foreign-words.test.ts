import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { Agent } from '../../agents/agent.ts'
import { agentRules } from '../../agents/agent-options.ts'
import { Swarm } from '../../swarm/swarm.ts'
import { tool } from '../../tools/define-tool.ts'
import { workflow } from '../../workflows/workflow.ts'
import { hookWords, runWords, toolWords, workflowWords } from './foreign-call-words.ts'
import { foreignModel } from './foreign-values.ts'
import { agentWords, swarmWords } from './foreign-words.ts'

const model = scriptedModel([])
const agent = new Agent({ name: 'Test', model })

it.each<[string, string]>([
  ['tools', '`tools` is `functions` here.'],
  ['system', '`system` is `instruction` here.'],
  ['instructions', '`instructions` is `instruction` here.'],
  ['prompt', '`prompt` is `instruction` here.'],
  ['maxTurns', '`maxTurns` is `maxSteps` here.'],
  ['stopWhen', '`stopWhen` is `maxSteps`, and `budget` for tokens, dollars and seconds here.'],
  [
    'memory',
    '`memory` is made by createMemory() of @agentkit/memory; what keeps a conversation is `sessionId` of a run.',
  ],
  ['outputType', '`outputType` is `output` here.'],
  ['handoffs', '`handoffs` is `new Swarm({ name, agents: […], collaboration: "handoff" })` here.'],
  ['max_turns', '`max_turns` is `maxSteps` here.'],
  ['toolApproval', '`toolApproval` is `needsApproval` of a tool here.'],
  ['thinking', '`thinking` is `reasoning` here.'],
  ['fallbacks', '`fallbacks` is `model`, a list: model: [first, next] here.'],
  ['onStepEnd', '`onStepEnd` is the event `step-end` of agent.stream("…") here.'],
  ['beforeToolCallback', '`beforeToolCallback` is `hooks: { beforeTool }` here.'],
  ['max_tokens', '`max_tokens` is `maxOutputTokens` here.'],
  ['prepareStep', '`prepareStep` is `hooks: { beforeModel }` here.'],
  ['topP', '`topP` has no counterpart here: providers differ in it. How much answers vary is `temperature`.'],
  ['onFinish', '`onFinish` is the event `run-end` of agent.stream("…"), or `onRunEnd` for runs that are stored, here.'],
  ['purpose', '`purpose` is `description` here.'],
  ['store', '`store` is `memory`, which remembers users, or `sessions`, which keeps conversations, here.'],
  ['activeTools', '`activeTools` is `hooks: { beforeModel }`, which returns the request with fewer `tools`, here.'],
  ['runtimeContext', '`runtimeContext` has no counterpart here: tools receive `userId`'],
])('answers the option %s of another library with ours', (word, answer) => {
  const refusal = expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(answer) })
  expect(() => new Agent({ name: 'Test', model, [word]: [] })).toThrow(refusal)
})

it('answers the words of other libraries among the settings of the model', () => {
  const withSetting = (word: string): Agent =>
    new Agent({ name: 'Test', model, modelSettings: { [word]: 1 } as object })
  expect(() => withSetting('maxTokens')).toThrow('`modelSettings.maxTokens`. `maxTokens` is `maxOutputTokens` here.')
  expect(() => withSetting('topP')).toThrow('`topP` has no counterpart here')
})

it('answers in the words of a swarm', () => {
  const options = { name: 'Team', agents: [agent], model, handoffs: [agent] }
  expect(() => new Swarm(options)).toThrow('`handoffs` is `agents` with `collaboration: "handoff"` here.')
  expect(() => new Swarm({ name: 'Team', agents: [agent], model, tools: [] } as never)).toThrow('is `functions` here.')
  expect(() => new Swarm({ name: 'Team', nodes: [agent], model } as never)).toThrow('`nodes` is `agents` here.')
})

it('answers in the words of a workflow', () => {
  const withOption = (word: string) => () => workflow({ name: 'Report', [word]: {} } as never) // which the types refuse
  expect(withOption('inputSchema')).toThrow('`inputSchema` is the type parameter: workflow<Input>({ name }) here.')
  expect(withOption('checkpointer')).toThrow('`checkpointer` is `sessions` here.')
  expect(withOption('retryConfig')).toThrow('`retryConfig` has no counterpart here: an agent repeats failed calls')
})

it.each([
  ['handoffs', 'handoff'],
  ['supervisor', 'manager'],
  ['sequential', 'sequence'],
  ['concurrent', 'parallel'],
])('answers the kind of collaboration %s of another library with ours', (collaboration, ours) => {
  const options = { name: 'Team', agents: [agent], model, collaboration }
  expect(() => new Swarm(options as never)).toThrow(`the next member. Did you mean "${ours}"?`)
})

it('answers in the words of a run and of a tool', async () => {
  await expect(agent.chat('Hello', { abortSignal: AbortSignal.abort() } as object)).rejects.toThrow('is `signal` here.')
  await expect(agent.chat('Hello', { maxTurns: 3 } as object)).rejects.toThrow('new Agent({ maxSteps })')
  await expect(agent.chat('Hello', { files: [] } as object)).rejects.toThrow('`files` is a part of the first argument')
  await expect(agent.chat('Hello', { modelSettings: {} } as object)).rejects.toThrow('new Agent({ modelSettings })')
  const options = { name: 'weather', description: 'The weather.', execute: () => 'sunny' }
  const withOption = (word: string) => () => tool({ ...options, [word]: {} } as never)
  expect(withOption('parameters')).toThrow('Tool "weather": `parameters` is `input` here.')
  expect(withOption('input_schema')).toThrow('Tool "weather": `input_schema` is `input` here.')
  expect(withOption('requireConfirmation')).toThrow('Tool "weather": `requireConfirmation` is `needsApproval` here.')
  expect(withOption('isEnabled')).toThrow('`isEnabled` is added to what tool() returns: { ...tool({ … }), isEnabled:')
  expect(withOption('inptu')).toThrow('Tool "weather": a tool has no option "inptu". Did you mean "input"? There are:')
})

it.each<[string, unknown, string]>([
  ['a number', 5, 'The message is a text or a list of parts, not of type number.'],
  ['options of the AI SDK', { prompt: 'Hello' }, '`prompt` is the first argument itself here'],
  [
    'a state of LangGraph',
    { messages: [] },
    '`messages` is the first argument here. Pass the last one as the question',
  ],
  ['messages', [{ role: 'user', content: 'Hello' }], 'These are messages. Pass the last one as the question'],
  ['an object', { id: 1 }, 'The message is a text or a list of parts, not an object.'],
])('answers %s in place of a question', async (_name, input, answer) => {
  const refusal = expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(answer) })
  await expect(agent.chat(input as string)).rejects.toThrow(refusal)
})

it('answers agents, sets and functions where tools are made', () => {
  const listing = (functions: unknown): Agent => new Agent({ name: 'Test', model, functions: functions as [] })
  expect(() => listing([agent])).toThrow('functions[0] is the agent "Test", not a tool. Make it a member of a swarm')
  class McpServer {
    name = 'files'
    async listTools() {}
  }
  expect(() => listing([new McpServer()])).toThrow('functions[0] is a client of MCP, not a tool. Connect its server by')
  expect(() => listing({ weather: {} })).toThrow('`functions` is a list of tools, which may be empty: [weather].')
  expect(() => tool((() => 'sunny') as never)).toThrow('tool({ name, description, input, execute })') // what a caller without types may pass
})

it.each<[string, object, string]>([
  ['the AI SDK', { specificationVersion: 'v3', doGenerate() {}, doStream() {} }, 'fromAISDK(model)'],
  ['LangChain', { invoke() {}, stream() {}, bindTools() {} }, 'a model of LangChain'],
  ['OpenAI Agents', { getResponse() {}, getStreamedResponse() {} }, 'a model of OpenAI Agents'],
  ['a provider', { id: 'openai', model() {} }, 'not one of its models'],
  ['an SDK', { withOptions() {}, chat: {} }, 'openai({ client })'],
  ['a factory', () => model, 'this is a function'],
])('names the way from what %s makes to a model', (_name, foreign, answer) => {
  expect(() => new Agent({ name: 'Test', model: foreign as never })).toThrow(answer)
  expect(() => new Agent({ name: 'Test', model: [model, foreign] as never })).toThrow(answer)
})

it('says that core takes models, not names', () => {
  expect(() => new Agent({ name: 'Test', model: 'openai/gpt-5' as never })).toThrow(
    'the package `agentkit` takes names',
  )
})

it('is silent about values that no library makes', () => {
  for (const value of [undefined, null, 5, {}, model]) expect(foreignModel(value)).toBeUndefined()
})

it('lists no word that is an option of ours', () => {
  const options = new Set(Object.keys(agentRules))
  expect(Object.keys(agentWords).filter((word) => options.has(word))).toEqual([])
  expect(Object.keys(swarmWords).filter((word) => options.has(word) || word === 'collaboration')).toEqual([])
  for (const [words, answers] of [[agentWords, Object.keys(agentRules)]] as const) {
    const names = Object.values(words).filter((answer) => /^\w+$/.test(answer))
    expect(names.filter((name) => !answers.includes(name))).toEqual([])
  }
  expect(Object.keys({ ...runWords, ...toolWords, ...hookWords, ...workflowWords })).not.toContain('toString')
})
