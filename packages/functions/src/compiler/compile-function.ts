import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompiledFunction, CompiledParameter } from '../runtime/compiled-function.ts'
import { checkBuiltCode } from './check-built-code.ts'
import { overruled } from './docs/annotations.ts'
import { type DocComment, readDocComment } from './docs/doc-comment.ts'
import { type FoundFunction, findFunctions } from './find/find-functions.ts'
import { functionWarnings } from './function-warnings.ts'
import { parameterSchema, wholeSchema } from './parameter-schema.ts'
import { type InputParameter, readParameters } from './parameters.ts'
import type { TypedProject } from './project/project.ts'
import { type Annotations, type CompilerScope, failAt, placeOf, UnresolvedType } from './scope/compiler-scope.ts'
import { describedSchema } from './types/described-schema.ts'
import { pointersTo } from './types/pointers.ts'

/** A function as a tool, and warnings for its author. */
export type Compilation = { compiled: CompiledFunction; warnings: string[] }

/**
 * Compiles a typed function to a tool: its types and JSDoc become schema and descriptions.
 * @throws AgentKitError `invalid-argument` for types without a JSON Schema, with file, line, parameter, type and the fix
 */
export function compileFunction(found: FoundFunction, project: TypedProject): Compilation {
  try {
    return compile(found, project)
  } catch (error) {
    const complete = error instanceof UnresolvedType ? project.complete() : project
    if (complete === project) throw error
    const { fileName, text } = found.node.getSourceFile()
    const file = complete.sourceFile(fileName, text)
    const again = findFunctions(complete.ts, file).find(({ node }) => node.pos === found.node.pos)
    // The same text has the same functions.
    return compile(again as FoundFunction, complete)
  }
}

function compile(found: FoundFunction, project: TypedProject): Compilation {
  const { name, node, documented, methodOf } = found
  const scope = createScope(found, project)
  checkFunction(found, scope)
  checkBuiltCode(node, scope)
  const comment = readDocComment(documented, scope)
  const { inputs, context } = readParameters(node, comment, scope)
  addComments(comment, inputs, context?.name, scope)
  const inputSchema = schemaOf(inputs, scope)
  scope.node = node
  const dates = pointersTo(scope.dates, inputSchema)
  return {
    compiled: {
      name,
      description: [comment.description, comment.returns && `Returns: ${comment.returns}`].filter(Boolean).join('\n\n'),
      inputSchema,
      parameters: inputs.map(compiledParameter),
      ...(context && { contextIndex: context.index }),
      ...(dates.length > 0 && { dates }),
      ...(methodOf !== undefined && { methodOf }),
    },
    warnings: functionWarnings(inputSchema, comment, scope),
  }
}

function createScope({ name, node }: FoundFunction, { ts, checker }: TypedProject): CompilerScope {
  const dates = new Set<JSONSchema>()
  const scope: CompilerScope = {
    ts,
    checker,
    isLibrary: isLibraryFile,
    name,
    node,
    comments: new Map(),
    commented: new Set(),
    open: new Set(),
    named: new Map(),
    definitions: new Map(),
    dates,
    typeNodes: [],
    instead(made, schema) {
      if (dates.has(made)) dates.add(schema)
      return schema
    },
    schemaOf: (type, place, own) => describedSchema(type, place, scope, own),
    translated: 0,
  }
  return scope
}

/** The language's own types, and Node's. ts-morph keeps the former in memory, where `typescript` has them. */
function isLibraryFile({ fileName }: { fileName: string }): boolean {
  return /\/node_modules\/(typescript\/lib|@types\/node|@typescript\/lib-\w+)\//.test(fileName)
}

/** The tool names that all seven providers accept. */
const validName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

function checkFunction({ name, node, overloads: declared }: FoundFunction, scope: CompilerScope): void {
  if (!validName.test(name)) {
    failAt(scope, 'its name is also the tool\'s, and has to be 1 to 64 letters, digits, "_" or "-". Rename it.')
  }
  if (node.asteriskToken) failAt(scope, 'it is a generator, and a model reads one result. Return an array.')
  const overloads = [...declared, ...overloadTags(node, scope)]
  if (overloads.length > 0) {
    const places = overloads.map((overload) => placeOf(overload)).join(', ')
    failAt(
      scope,
      `it has ${overloads.length} overloads (${places}), and a tool has one signature. Export one function for each, or make the tool with tool().`,
    )
  }
}

/** JavaScript's overloads, which are tags. */
function overloadTags(node: ts.Node, { ts, checker }: CompilerScope): ts.Node[] {
  if (!/\.[cm]?jsx?$/.test(node.getSourceFile().fileName)) return []
  const signatures = checker.getTypeAtLocation(node).getCallSignatures()
  return signatures.flatMap(({ declaration }) =>
    declaration && ts.isJSDocOverloadTag(declaration.parent) ? [declaration.parent] : [],
  )
}

/**
 * Stores the descriptions of the docstring by path: in a parameter that is the whole input, paths begin with its
 * fields. The context has no path.
 */
function addComments(
  { parameters }: DocComment,
  inputs: readonly InputParameter[],
  contextName: string | undefined,
  { comments, commented }: CompilerScope,
): void {
  const whole = inputs.find(({ kind }) => kind === 'whole')
  const prefix = whole ? `${whole.name}.` : ''
  if (whole) commented.add(whole.name)
  for (const { path, text, keywords } of parameters) {
    if (path.split('.')[0] === contextName) continue
    const place = (path.startsWith(prefix) ? path.slice(prefix.length) : path).replaceAll('[]', '')
    const said: Annotations = { description: text || undefined, keywords }
    // The first description takes precedence.
    comments.set(place, overruled(said, comments.get(place)))
  }
}

function schemaOf(inputs: readonly InputParameter[], scope: CompilerScope): JSONSchema {
  const [only] = inputs
  const fields = only?.kind === 'whole' ? wholeSchema(only, scope) : namedSchema(inputs, scope)
  const { definitions } = scope
  return {
    type: 'object',
    ...fields,
    additionalProperties: false,
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  }
}

function namedSchema(inputs: readonly InputParameter[], scope: CompilerScope): JSONSchema {
  const properties = inputs.map((input): [string, JSONSchema] => [input.name, parameterSchema(input, scope)])
  const required = inputs.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) }
}

function compiledParameter({ name, kind }: InputParameter): CompiledParameter {
  if (kind === 'whole') return { whole: true }
  return kind === 'rest' ? { name, rest: true } : { name }
}
