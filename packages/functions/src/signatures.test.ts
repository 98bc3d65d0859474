import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isAgentKitError, type Tool, type ToolContext, type ToolFunction, tool } from '@agentkit/core'
import { openai } from '@agentkit/providers-openai'
import { isStrictSchema, toolParameters } from '@agentkit/wire'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { arbitraryOfSchema } from './__fixtures__/signatures/arbitrary-of-schema.ts'
import { comparable, matchings, paragraphs } from './__fixtures__/signatures/compare-schemas.ts'
import type { Expected } from './__fixtures__/signatures/expected.ts'
import { readAsGemini, strictProblems } from './__fixtures__/signatures/provider-rules.ts'
import { receivedArguments } from './__fixtures__/signatures/received-arguments.ts'
import { refused, tools } from './__fixtures__/signatures/tables.ts'
import { type Compilation, compileFunction } from './compiler/compile-function.ts'
import { type FoundFunction, findFunctions } from './compiler/find/find-functions.ts'
import { openProject, type TypedProject } from './compiler/project/project.ts'
import { attachTool, toolFromFunction } from './index.ts'

const files = [...Object.keys(tools), ...Object.keys(refused)]
const pathOf = (file: string): string => fileURLToPath(new URL(`__fixtures__/signatures/${file}`, import.meta.url))
const all = Object.entries(tools).flatMap(([file, list]) => list.map((expected) => ({ file, ...expected })))

const projects = new Map<string, TypedProject>()
function project(lib: 'small' | 'own'): TypedProject {
  const opened = projects.get(lib) ?? openProject(files.map(pathOf), { lib })
  projects.set(lib, opened)
  return opened
}

function find(file: string, name: string, lib: 'small' | 'own' = 'small'): FoundFunction {
  const { ts, sourceFile } = project(lib)
  const found = findFunctions(ts, sourceFile(pathOf(file))).find((each) => each.name === name)
  if (!found) throw new Error(`${name} was not found in ${file}.`)
  return found
}

const compilations = new Map<string, Compilation>()
function compile(file: string, name: string): Compilation {
  const key = `${file} ${name}`
  const compilation = compilations.get(key) ?? compileFunction(find(file, name), project('small'))
  compilations.set(key, compilation)
  return compilation
}

async function attached(file: string, expected: Expected): Promise<Tool> {
  const module = await import(/* @vite-ignore */ pathToFileURL(pathOf(file)).href)
  const plain: ToolFunction = expected.find ? expected.find(module) : module[expected.name]
  attachTool(plain, compile(file, expected.name).compiled)
  return toolFromFunction(expected.boundTo ? plain.bind(expected.boundTo(module)) : plain)
}

const context: ToolContext = {
  signal: new AbortController().signal,
  userId: 'ada',
  sessionId: 'session-1',
  runId: 'run-1',
  callId: 'call-1',
  idempotencyKey: 'key-1',
  cite() {},
}

describe.each(all)('$file: $name', (expected) => {
  const { file, name } = expected

  it('has the schema that a careful person would write', () => {
    const { inputSchema } = compile(file, name).compiled
    const patterns = matchings(expected.inputSchema)
    expect(comparable(inputSchema, patterns)).toEqual(comparable(expected.inputSchema, patterns))
    expect(Object.keys(inputSchema.properties as object)).toEqual(
      Object.keys(expected.inputSchema.properties as object),
    )
    const definitions = Object.keys(expected.inputSchema.$defs ?? {})
    expect(Object.keys(inputSchema.$defs ?? {})).toEqual(expect.arrayContaining(definitions))
  })

  it('has its name and its description', () => {
    const { compiled } = compile(file, name)
    expect(compiled.name).toBe(name)
    expect(paragraphs(compiled.description)).toBe(paragraphs(expected.description))
    expect(compiled.methodOf).toBe(expected.methodOf)
  })

  it('gives the function its arguments', async () => {
    const { execute } = await attached(file, expected)
    for (const [input, received] of expected.calls) {
      expect(await execute(input, context)).toEqual(received)
      if (!expected.ownDefaults) expect(receivedArguments(expected, input)).toEqual(received)
    }
  })

  it('gives the function equal values, of any type', async () => {
    const { execute } = await attached(file, expected)
    const inputs = arbitraryOfSchema(expected.inputSchema).map((value) => JSON.parse(JSON.stringify(value)))
    const property = fc.asyncProperty(inputs, async (input) => {
      const given = structuredClone(input)
      // The function says what it got before its own defaults, but for those that only it knows.
      const own = (expected.ownDefaults ?? []).some((field) => !Object.hasOwn(input, field))
      const received = await execute(input, context)
      if (!own) expect(received).toEqual(receivedArguments(expected, given))
    })
    await fc.assert(property, { numRuns: 50 })
  })

  it('refuses inputs that do not fit', async () => {
    const { execute } = await attached(file, expected)
    for (const input of expected.refuses ?? []) {
      await expect((async () => execute(input, context))(), JSON.stringify(input)).rejects.toThrow()
    }
  })

  it('is a tool for core, OpenAI and Gemini', () => {
    const { description, inputSchema } = compile(file, name).compiled
    expect(() => tool({ name, description, input: inputSchema, execute: () => undefined })).not.toThrow()
    expect(toolParameters(inputSchema)).toEqual(inputSchema)
    if (isStrictSchema(inputSchema)) expect(strictProblems(inputSchema)).toEqual([])
    expect(readAsGemini(inputSchema).refused.length > 0).toBe(recursiveEverywhere.includes(name))
  })
})

/** Gemini takes a recursion only where it may end: a provider of Gemini has to unroll these. */
const recursiveEverywhere = ['searchArchive', 'patchDocument', 'planWork']

describe.each(Object.entries(refused).flatMap(([file, list]) => list.map((each) => ({ file, ...each }))))(
  '$file: $name',
  ({ file, name, parameter, type, fix }) => {
    it('is refused with its place, the parameter, the type and a type to use instead', () => {
      const message = refusal(file, name)
      const [, line] = new RegExp(`${file}:(\\d+)`).exec(message) ?? []
      expect(readFileSync(pathOf(file), 'utf8').split('\n')[Number(line) - 1]).toContain(name)
      expect(message).toContain(parameter)
      expect(message).toContain(type)
      expect(message).toMatch(fix)
    })
  },
)

function refusal(file: string, name: string): string {
  try {
    compile(file, name)
  } catch (error) {
    if (isAgentKitError(error) && error.code === 'invalid-argument') return error.message
    throw error
  }
  throw new Error(`${name} became a tool.`)
}

describe('all signatures', () => {
  it('are the same with the libraries that the project names', () => {
    for (const { file, name } of all) {
      expect(compileFunction(find(file, name, 'own'), project('own'))).toEqual(compile(file, name))
    }
  })

  it('reach OpenAI as they are, in strict mode where that takes them', async () => {
    const specs = all.map(({ file, name }) => compile(file, name).compiled)
    const sent = await sentTools(specs)
    expect(sent.map(({ name, parameters }) => ({ name, inputSchema: parameters }))).toEqual(
      specs.map(({ name, inputSchema }) => ({ name, inputSchema })),
    )
    expect(sent.filter(({ strict }) => strict).map(({ name }) => name)).toEqual(strictTools)
  })

  it('lose nothing with Gemini that a call is not checked for', () => {
    const unread = all.flatMap(({ file, name }) => readAsGemini(compile(file, name).compiled.inputSchema).unread)
    expect([...new Set(unread)].sort()).toEqual(unreadByGemini)
  })
})

/** All others have an optional field, an open object, or a keyword that strict mode refuses. */
const strictTools = `convertCurrency switchLamp forwardPort multiplyMatrices setThermostat enlarge deleteAccount
  assignTicket findInvoice setBrightness raiseAlarm orderCoffee drawShape planRoute
  sendMessage assignOffice sortArticles
  saveArticles compareProfiles charge changeSettings lookUpWord translate add measureDistance queryDatabase trackParcel
  inBuilding report addNote findNotes tellTime writeDown anonymousDefault sortTable`.split(/\s+/)

const unreadByGemini = [
  'const',
  'default',
  'examples',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'items: false',
  'maxLength',
  'minLength',
  'multipleOf',
  'null in enum',
  'pattern',
  'uniqueItems',
]

type SentTool = { name: string; parameters: unknown; strict: boolean }

/** What leaves for OpenAI: the tools of the request's body. */
async function sentTools(
  specs: { name: string; description: string; inputSchema: Record<string, unknown> }[],
): Promise<SentTool[]> {
  const bodies: { tools: SentTool[] }[] = []
  const provider = openai({
    apiKey: 'none',
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return new Response('{}', { status: 400 })
    },
  })
  const request = { messages: [{ role: 'user' as const, content: 'hi' }], tools: specs }
  const sending = async (): Promise<void> => {
    for await (const _event of provider.model('gpt-5.6-luna').stream(request, context.signal));
  }
  await expect(sending()).rejects.toThrow()
  return bodies[0]?.tools ?? []
}
