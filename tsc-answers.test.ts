import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript-6'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Frequent mistakes, with what both compilers begin their answer with. */
const mistakes: Record<string, { code: string; answer: string | RegExp }> = {
  'no name': {
    code: 'new Agent({ functions: [] })',
    answer:
      "Argument of type '{ functions: never[]; }' is not assignable to parameter of type 'AgentOptions<undefined>'.",
  },
  '`tools` for `functions`': {
    code: "new Agent({ name: 'Test', tools: [] })",
    answer:
      "Object literal may only specify known properties, and 'tools' does not exist in type 'AgentOptions<undefined>'.",
  },
  'a model of another library': {
    code: "declare const gpt: { specificationVersion: 'v3'; doStream(): void }\nnew Agent({ name: 'Test', model: gpt })",
    answer:
      /^Type '\{ specificationVersion: .v3.; doStream\(\): void; \}' is not assignable to type '.*\bModel\b.*'\.$/,
  },
  'a word as temperature': {
    code: "new Agent({ name: 'Test', temperature: 'low' })",
    answer: "Type 'string' is not assignable to type 'number'.",
  },
  'a number as budget': {
    code: "new Agent({ name: 'Test', budget: 5 })",
    answer: "Type 'number' has no properties in common with type 'Budget'.",
  },
  'a tool of a string': {
    code: "tool({ name: 'weather', description: 'd', input: z.string(), execute: (city) => city })",
    answer: `Type 'ZodString' is not assignable to type 'ZodString & "the schema of an object, such as z.object({ city: z.string() })"'.`,
  },
  '`inputSchema` for `input`': {
    code: "tool({ name: 'weather', description: 'd', inputSchema: z.object({ city: z.string() }), execute: ({ city }) => city })",
    answer: /^Type 'ZodObject<.*>' is not assignable to type '"`inputSchema` is `input` here"'\.$/,
  },
  '`parameters` for `input`': {
    code: "tool({ name: 'weather', description: 'd', parameters: z.object({ city: z.string() }), execute: ({ city }) => city })",
    answer: /^Type 'ZodObject<.*>' is not assignable to type '"`parameters` is `input` here"'\.$/,
  },
  'another parameter than the input': {
    code: "tool({ name: 'weather', description: 'd', input: z.object({ city: z.string() }), execute: (input: { town: string }) => input.town })",
    answer:
      "Type '(input: { town: string; }) => string' is not assignable to type '(input: { city: string; }, context: ToolContext) => unknown'.",
  },
  'an output that is read unasked': {
    code: "const agent = new Agent({ name: 'Test', output: z.object({ city: z.string() }) })\nconst result = await agent.stream('Where?').result\nconsole.log(result.output.city)",
    answer: "'result.output' is possibly 'undefined'.",
  },
  'a plain object as member': {
    code: "new Swarm({ name: 'Team', agents: [{ name: 'Research' }] })",
    answer:
      /^Type '\{ name: string; \}' is (not assignable to type 'Member'|missing the following properties from type 'Agent)/,
  },
  'a collaboration that is none': {
    code: "new Swarm({ name: 'Team', agents: [], collaboration: 'handoffs' })",
    answer: `Type '"handoffs"' is not assignable to type 'Collaboration'. Did you mean '"handoff"'?`,
  },
  'a word that is none': {
    code: "new Agent({ name: 'Test', onBusy: 'wait' })",
    answer: `Type '"wait"' is not assignable to type 'OnBusy'.`,
  },
  'a number as sessions': {
    code: "new Agent({ name: 'Test', sessions: 5 })",
    answer: "Type 'number' is not assignable to type 'string | SessionStore'.",
  },
  'the name of a function': {
    code: "new Agent({ name: 'Test', functions: ['weather'] })",
    answer: "Type 'string' is not assignable to type 'ToolLike'.",
  },
  'a function that is called': {
    code: "const weather = (city: string): string => city\nnew Agent({ name: 'Test', functions: [weather('Oslo')] })",
    answer: "Type 'string' is not assignable to type 'ToolLike'.",
  },
  'a number as question': {
    code: "await new Agent({ name: 'Test' }).chat(5)",
    answer: "Argument of type 'number' is not assignable to parameter of type 'string | InputPart[]'.",
  },
}

// Within the workspace, so that its packages are found.
const folder = join(import.meta.dirname, 'node_modules/.cache/tsc-answers')
const files = Object.values(mistakes).map(({ code }, index) => ({ path: join(folder, `mistake-${index}.ts`), code }))

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(join(import.meta.dirname, 'packages/core/node_modules/zod'), join(folder, 'node_modules/zod'), 'junction')
  const extend = join(import.meta.dirname, 'tsconfig.base.json')
  const compilerOptions = {
    ...{
      noEmit: true,
      exactOptionalPropertyTypes: false,
      customConditions: ['@agentkit/source'],
      typeRoots: [join(import.meta.dirname, 'node_modules/@types')],
    },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: extend, compilerOptions, include: ['*.ts'] }))
  for (const { path, code } of files) {
    const names = ['Agent', 'Swarm', 'tool'].filter((name) => code.includes(`${name}(`))
    const zod = code.includes('z.') ? "import { z } from 'zod'\n" : ''
    writeFileSync(path, `import { ${names.join(', ')} } from 'agentkit'\n${zod}${code}\nexport {}\n`)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each([
  ['7', answersOf7],
  ['6', answersOf6],
])('the first line of TypeScript %s', (_version, answersOf) => {
  it('is one that a person understands, for each mistake', async () => {
    const answers = await answersOf()
    expect(answers).toHaveLength(files.length)
    for (const [index, [name, { answer }]] of Object.entries(mistakes).entries()) {
      const line = answers[index]?.replace(" | undefined'", "'")
      if (typeof answer === 'string') expect.soft(line, name).toBe(answer)
      else expect.soft(line, name).toMatch(answer)
    }
  })
})

/** The first line for each file. */
async function answersOf7(): Promise<(string | undefined)[]> {
  const tsc = join(import.meta.dirname, 'node_modules/typescript/bin/tsc')
  // It fails, as it should.
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false']).catch(
    (error: { stdout: string }) => error,
  )
  const lines = stdout.split('\n').filter((line) => line.includes('mistake-'))
  return files.map((_, index) => {
    return lines.find((line) => line.includes(`mistake-${index}.ts`))?.replace(/^.*?error TS\d+: /, '')
  })
}

/** By its API, which checks these files alone. */
async function answersOf6(): Promise<(string | undefined)[]> {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const program = ts.createProgram(fileNames, options)
  return files.map(({ path }) => {
    const [first] = program.getSemanticDiagnostics(program.getSourceFile(path))
    return first && ts.flattenDiagnosticMessageText(first.messageText, '\n').split('\n')[0]
  })
}
