import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, AgentKitError, type Model, Swarm, tool } from '@agentkit/core'
import { readCassette, scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { EvalCase } from '../data/eval-case.ts'
import { judge } from '../scorers/judge.ts'
import { latency } from '../scorers/limit-scorers.ts'
import { contains } from '../scorers/text-scorers.ts'
import type { EvaluateOptions } from './eval-options.ts'
import { evaluate } from './evaluate.ts'

let out: string
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'agentkit-eval-cassette-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

/** A model whose every answer is another one, or a judge's, or none at all. */
function modelOf(id: string, isOpen: () => boolean): Model {
  let calls = 0
  return {
    id,
    info: { nativeOutput: 'always' },
    async *stream(request, signal) {
      if (!isOpen()) throw new AgentKitError('network', 'There is no network.')
      const number = ++calls
      const answer = request.output ? `{"reasons":"r${number}","rating":${(number % 5) + 1}}` : `Answer ${number}`
      yield* scriptedModel([{ text: answer, delayMs: number % 3 }]).stream(request, signal)
    },
  }
}

const cases: EvalCase[] = Array.from({ length: 8 }, (_, index) => ({ input: `Question ${index % 6}`, expected: '1' }))

function optionsOf(mode: 'record' | 'replay', isOpen: () => boolean, folder: string): EvaluateOptions {
  const model = modelOf('test/own', isOpen)
  const inner = new Agent({ name: 'Helper', functions: [], model: modelOf('test/helper', isOpen) })
  return {
    name: 'taped',
    variants: {
      agent: new Agent({ name: 'Clerk', functions: [], model, retry: { attempts: 1 } }),
      swarm: new Swarm({
        name: 'Team',
        functions: [],
        model,
        agents: [inner],
        collaboration: 'sequence',
        retry: { attempts: 1 },
      }),
    },
    cases,
    repeats: 2,
    scorers: [contains(), latency(1), judge({ model: modelOf('test/judge', isOpen), rubric: 'Good.' })],
    cassette: { file: join(out, 'taped.cassette'), mode },
    out: join(out, folder),
  }
}

it('a replay asks no model, neither of members nor of judges, and gives the same report byte for byte', async () => {
  const recorded = await evaluate(optionsOf('record', () => true, 'recorded'))
  expect(recorded.variants.agent?.failed).toBe(0)
  const ids = readCassette(join(out, 'taped.cassette')).models.map(({ model }) => model)
  expect(ids.sort()).toEqual(['test/helper', 'test/judge', 'test/own'])

  for (const folder of ['replayed', 'again']) await evaluate(optionsOf('replay', () => false, folder))
  const text = (folder: string): Promise<string> => readFile(join(out, folder, 'taped/report.json'), 'utf8')
  expect(await text('replayed')).toBe(await text('again'))
  expect(await text('replayed')).toBe(await text('recorded'))
}, 60_000)

it('equal requests get the same answers in a replay, however long tools take', async () => {
  const optionsWith = (mode: 'record' | 'replay', isSlow: (call: number) => boolean): EvaluateOptions => {
    let [calls, answers] = [0, 0]
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      input: { type: 'object' },
      async execute() {
        if (isSlow(++calls)) for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
        return 'done'
      },
    })
    const model: Model = {
      id: 'test/waiting',
      async *stream(request, signal) {
        const hasWaited = request.messages.some(({ role }) => role === 'tool')
        const turn = hasWaited ? `Answer ${++answers}` : { toolCalls: [{ name: 'wait', callId: 'call_1' }] }
        yield* scriptedModel([turn]).stream(request, signal)
      },
    }
    const agent = new Agent({ name: 'Clerk', functions: [wait], model })
    const cassette = { file: join(out, 'equal.cassette'), mode }
    return { agent, cases: [{ input: 'Go' }], repeats: 2, scorers: [latency(60_000)], cassette, out, name: mode }
  }
  const texts = async (options: EvaluateOptions): Promise<string[]> =>
    (await evaluate(options)).results.map(({ text }) => text)
  const recorded = await texts(optionsWith('record', (call) => call === 1))
  expect(await texts(optionsWith('replay', (call) => call === 2))).toEqual(recorded)
})

it('members of different cases that are asked the same get the answers of their own case', async () => {
  const optionsWith = (mode: 'record' | 'replay', slow: string): EvaluateOptions => {
    let answers = 0
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      input: { type: 'object', properties: { who: { type: 'string' } } },
      async execute({ who }) {
        if (who === slow) for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
        return 'done'
      },
    })
    const leader: Model = {
      id: 'test/leader',
      async *stream(request, signal) {
        const [question, ...others] = request.messages
        const results = others.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
        const calls = [
          { name: 'wait', callId: 'call_1', input: { who: `${question?.content}` } },
          { name: 'helper', callId: 'call_2', input: { task: 'Look it up' } },
        ]
        const next = calls[results.length]
        yield* scriptedModel([next ? { toolCalls: [next] } : `${results[1]}`]).stream(request, signal)
      },
    }
    const helping: Model = {
      id: 'test/helping',
      async *stream(request, signal) {
        yield* scriptedModel([`Answer ${++answers}`]).stream(request, signal)
      },
    }
    const helper = new Agent({ name: 'Helper', functions: [], model: helping })
    const agent = new Swarm({ name: 'Team', functions: [wait], model: leader, agents: [helper] })
    const cassette = { file: join(out, 'members.cassette'), mode }
    return { agent, cases: [{ input: 'One' }, { input: 'Two' }], scorers: [latency(60_000)], cassette, out, name: mode }
  }
  const texts = async (options: EvaluateOptions): Promise<string[]> =>
    (await evaluate(options)).results.map(({ text }) => text)
  const recorded = await texts(optionsWith('record', 'One'))
  expect(recorded).toEqual(['Answer 2', 'Answer 1'])
  expect(await texts(optionsWith('replay', 'Two'))).toEqual(recorded)
})

it('a replay takes the place of no result that a model has made', async () => {
  const options = optionsOf('replay', () => true, 'beside')
  const { cassette: _, ...real } = options
  await evaluate(real)
  await evaluate(options)
  let calls = 0
  const { cassette: __, ...again } = optionsOf('replay', () => Boolean(++calls), 'beside')
  await evaluate(again)
  expect(calls).toBe(0)
}, 60_000)

it('a case that was not recorded fails, and is not recorded', async () => {
  const before = await readFile(join(out, 'taped.cassette'))
  const options = optionsOf('replay', () => true, 'other')
  const report = await evaluate({ ...options, cases: [...cases, { input: 'New' }] })
  expect(report.variants.agent?.failed).toBe(2)
  expect(report.results.find((result) => result.case === '9')?.error).toMatchObject({ code: 'not-found' })
  expect(await readFile(join(out, 'taped.cassette'))).toEqual(before)
}, 60_000)

it('a replay with cases that were not recorded, or have new ids, gives the same report each time', async () => {
  let [now, longer] = [0, 0]
  // Each run takes longer than the one before.
  const timed = vi.spyOn(performance, 'now').mockImplementation(() => (now += ++longer))
  const options = optionsOf('replay', () => false, 'changed')
  const changed = [...cases.map((one, index) => ({ ...one, id: `renamed-${index}` })), { input: 'New' }]
  try {
    const report = () => evaluate({ ...options, cases: changed, scorers: [latency(1)] })
    expect(await report()).toEqual(await report())
  } finally {
    timed.mockRestore()
  }
}, 60_000)

it('a recording that ends early leaves the earlier one', async () => {
  const before = await readFile(join(out, 'taped.cassette'))
  const controller = new AbortController()
  const options = optionsOf('record', () => true, 'early')
  const score = (): number => {
    controller.abort()
    return 1
  }
  const scorers = [{ name: 'aborts', score }]
  await expect(evaluate({ ...options, scorers, signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(await readFile(join(out, 'taped.cassette'))).toEqual(before)
})

it('a recording that cannot be written is `storage`, before a model is called where that can be seen', async () => {
  const file = join(out, 'a-file')
  await writeFile(file, '')
  const record = async (path: string): Promise<unknown> => {
    const options = optionsOf('record', () => true, 'unwritable')
    return evaluate({ ...options, fresh: true, cassette: { file: path, mode: 'record' } }).catch((error) => error)
  }
  expect(await record(join(file, 'x.cassette'))).toMatchObject({ code: 'storage' })
  await mkdir(join(out, 'folder.cassette'))
  expect(await record(join(out, 'folder.cassette'))).toMatchObject({
    code: 'storage',
    message: expect.stringContaining('EISDIR'),
  })
})

it('a replay of a missing file is `not-found`', async () => {
  const options = optionsOf('replay', () => true, 'none')
  await expect(evaluate({ ...options, cassette: { file: join(out, 'none'), mode: 'replay' } })).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('Record the eval: agentkit eval <file> --record'),
  })
})

it('removes the files of recordings whose processes were killed, a day later', async () => {
  const folder = join(out, 'killed')
  await mkdir(folder)
  const names = ['old', 'young'].flatMap((age) => {
    return ['taped.cassette', 'taped.cassette.durations.json', 'other.cassette'].map((file) => ({ age, file }))
  })
  const kept = ['taped.cassette.notes.tmp']
  await writeFile(join(folder, 'taped.cassette.notes.tmp'), '')
  for (const { age, file } of names) {
    const name = `${file}.${crypto.randomUUID()}.tmp`
    await writeFile(join(folder, name), '')
    if (age === 'young' || file === 'other.cassette') kept.push(name)
    const at = new Date(Date.now() - (age === 'old' ? 2 : 0.5) * 86_400_000)
    await utimes(join(folder, name), at, at)
  }
  const cassette = { file: join(folder, 'taped.cassette'), mode: 'record' } as const
  await evaluate({ ...optionsOf('record', () => true, 'killed-results'), cassette })
  const recorded = ['taped.cassette', 'taped.cassette.durations.json']
  expect((await readdir(folder)).sort()).toEqual([...kept, ...recorded].sort())
})
