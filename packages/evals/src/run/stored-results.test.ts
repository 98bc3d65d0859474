import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AgentOptions, type JSONSchema, type Model, type Tool, tool, workflow } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Scorer } from '../data/scorer.ts'
import { writeHtml } from '../report/write-html.ts'
import { exact } from '../scorers/text-scorers.ts'
import { evaluate } from './evaluate.ts'
import { runEval } from './run-eval.ts'

let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'agentkit-evals-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

function answering(answer: string): Model & { calls: number } {
  const model: Model & { calls: number } = {
    id: 'test/answering',
    calls: 0,
    async *stream(request, signal) {
      model.calls++
      yield* scriptedModel([answer]).stream(request, signal)
    },
  }
  return model
}

function clerk(model: Model, options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ name: 'Clerk', functions: [], model, ...options })
}

function find(field: string, description = 'Finds.'): Tool {
  const input: JSONSchema = { type: 'object', properties: { [field]: { type: 'string' } } }
  return tool({ name: 'find', description, input, execute: () => 'found' })
}

const output: JSONSchema = { type: 'object', properties: { city: { type: 'string' } } }

it.each<[string, Partial<AgentOptions>, Partial<AgentOptions>]>([
  ['the schema of a tool', { functions: [find('a')] }, { functions: [find('b')] }],
  [
    'the schema of a tool of one version',
    { version: '1', functions: [find('a')] },
    { version: '1', functions: [find('b')] },
  ],
  ['the description of a tool', { functions: [find('a')] }, { functions: [find('a', 'Finds orders.')] }],
  ['the form of the answer', {}, { output }],
])('a result is made again for an agent that differs in %s', async (name, before, after) => {
  const model = answering('{}')
  const one = { cases: [{ input: 'Hello' }], scorers: [always], out, name }
  await evaluate({ ...one, agent: clerk(model, before) })
  await evaluate({ ...one, agent: clerk(model, before) })
  expect(model.calls).toBe(1)
  await evaluate({ ...one, agent: clerk(model, after) })
  expect(model.calls).toBe(2)
})

it('two evals of one name run at once', async () => {
  const one = { agent: clerk(answering('yes')), cases: [{ input: 'Hello' }], scorers: [always], out, name: 'at once' }
  const reports = await Promise.all([1, 2, 3].map(() => evaluate({ ...one, fresh: true })))
  expect(reports[2]).toMatchObject({ variants: { clerk: { cases: 1, failed: 0 } } })
})

it('a result of a workflow is made again when an agent in it differs', async () => {
  const model = answering('x')
  const one = { cases: [{ input: 'Hello' }], scorers: [always], out, name: 'workflow' }
  const report = (instruction: string) => {
    const inner = workflow({ name: 'Inner' }).step(clerk(model, { instruction }))
    return workflow({ name: 'Outer' }).step(inner).asAgent()
  }
  await evaluate({ ...one, agent: report('Be brief.') })
  await evaluate({ ...one, agent: report('Be brief.') })
  expect(model.calls).toBe(1)
  await evaluate({ ...one, agent: report('Be polite.') })
  expect(model.calls).toBe(2)
})

it.each(['\u2028', '\u2029', '\u0085', '\r', '\0'])('an answer with %j is stored whole', async (char) => {
  const answer = `one${char}two`
  const model = answering(answer)
  const one = { agent: clerk(model), scorers: [exact()], out, name: 'characters' }
  const cases = [{ id: `${char.charCodeAt(0)}`, input: 'Hello', expected: answer }]
  const run = await runEval({ ...one, cases })
  expect((await evaluate({ ...one, cases })).results[0]?.text).toBe(answer)
  expect(model.calls).toBe(1)
  const page = join(out, 'characters.html')
  await writeHtml(page, run.report, run)
  expect(await readFile(page, 'utf8')).toContain('<b>user</b><pre>Hello</pre>')
})

it('a scorer that changes its argument changes no other score', async () => {
  const careless: Scorer = {
    name: 'careless',
    score(run) {
      run.result.text = 'changed'
      run.result.messages.reverse()
      run.events.length = 0
      if (Array.isArray(run.case.expected)) run.case.expected.length = 0
      Object.assign(run.case, { id: 'changed' })
      return 1
    },
  }
  const seen: Scorer = {
    name: 'seen',
    score: ({ case: { expected }, result, events }) =>
      result.messages[0]?.role === 'user' && events.length > 0 && Array.isArray(expected) && expected.length === 1,
  }
  const cases = [{ id: 'hello', input: 'Hello', expected: ['x'] }]
  const report = await evaluate({
    agent: clerk(answering('x')),
    cases,
    scorers: [careless, seen],
    out,
    name: 'careless',
  })
  expect(report.results).toMatchObject([{ case: 'hello', text: 'x', scores: { careless: 1, seen: 1 } }])
})

const always: Scorer = { name: 'always', score: () => 1 }
