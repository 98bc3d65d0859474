import type { JSONSchema } from '@agentkit/core'
import type { CompiledFunction, CompiledParameter } from '../compiled-function.ts'
import { type CompilerScope, failAt, placeOf, UnresolvedType } from './compiler-scope.ts'
import { describedSchema } from './described-schema.ts'
import { type DocComment, readDocComment } from './doc-comment.ts'
import { type FoundFunction, findFunctions } from './find-functions.ts'
import { parameterSchema, wholeSchema } from './parameter-schema.ts'
import { type InputParameter, readParameters } from './parameters.ts'
import { pointersTo } from './pointers.ts'
import type { TypedProject } from './project.ts'

/** A function as a tool, and what its author should be told. */
export type Compilation = { compiled: CompiledFunction; warnings: string[] }

/**
 * Makes a tool of a typed function: its types and its JSDoc become schema and descriptions.
 * @throws AgentKitError `invalid-argument` for what has no JSON Schema, with file, line, parameter, type and the fix
 */
export function compileFunction(found: FoundFunction, project: TypedProject): Compilation {
  try {
    return compile(found, project)
  } catch (error) {
    const complete = error instanceof UnresolvedType ? project.complete() : project
    if (complete === project) throw error
    const file = complete.sourceFile(found.node.getSourceFile().fileName)
    const again = findFunctions(complete.ts, file).find(({ node }) => node.pos === found.node.pos)
    if (!again) throw error
    return compile(again, complete)
  }
}

/** What all seven providers take as a tool's name. */
const validName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

function compile(found: FoundFunction, project: TypedProject): Compilation {
  const { name, node, overloads } = found
  const scope: CompilerScope = {
    ts: project.ts,
    checker: project.checker,
    isLibrary: isLibraryFile,
    name,
    node,
    comments: new Map(),
    open: new Set(),
    named: new Map(),
    definitions: new Map(),
    dates: new Set(),
    typeNodes: [],
    instead(made, schema) {
      if (scope.dates.delete(made)) scope.dates.add(schema)
      return schema
    },
    schemaOf: (type, place, own) => describedSchema(type, place, scope, own),
    translated: 0,
  }
  if (!validName.test(name)) {
    failAt(scope, 'its name is also the tool\'s, and has to be 1 to 64 letters, digits, "_" or "-". Rename it.')
  }
  if (node.asteriskToken) failAt(scope, 'it is a generator, and a model reads one result. Return an array.')
  if (overloads.length > 0) {
    const places = overloads.map((overload) => placeOf(overload)).join(', ')
    failAt(
      scope,
      `it has ${overloads.length} overloads (${places}), and a tool has one signature. Export one function for each, or make the tool with tool().`,
    )
  }
  const comment = readDocComment(found.documented, scope)
  const { inputs, context } = readParameters(node, comment, scope)
  for (const [path, text] of fieldComments(comment, inputs)) scope.comments.set(path, text)
  const inputSchema = schemaOf(inputs, comment, scope)
  scope.node = node
  const dates = pointersTo(scope.dates, inputSchema)
  const { description, returns } = comment
  return {
    compiled: {
      name,
      description: [description, returns && `Returns: ${returns}`].filter(Boolean).join('\n\n'),
      inputSchema,
      parameters: inputs.map(compiledParameter),
      ...(context && { contextIndex: context.index }),
      ...(dates.length > 0 && { dates }),
      ...(found.methodOf !== undefined && { methodOf: found.methodOf }),
    },
    warnings: warningsOf(
      inputSchema,
      [...inputs.map(({ commentName }) => commentName), context?.name ?? ''],
      comment,
      scope,
    ),
  }
}

function compiledParameter({ name, kind }: InputParameter): CompiledParameter {
  if (kind === 'whole') return { whole: true }
  return kind === 'rest' ? { name, rest: true } : { name }
}

/** The language's own types, and Node's. ts-morph keeps the former in memory, where `typescript` has them. */
function isLibraryFile({ fileName }: { fileName: string }): boolean {
  return /\/node_modules\/(typescript\/lib|@types\/node|@typescript\/lib-\w+)\//.test(fileName)
}

function schemaOf(inputs: readonly InputParameter[], comment: DocComment, scope: CompilerScope): JSONSchema {
  const [only] = inputs
  const fields = only?.kind === 'whole' ? wholeSchema(only, scope) : namedSchema(inputs, comment, scope)
  const { definitions } = scope
  return {
    type: 'object',
    ...fields,
    additionalProperties: false,
    ...(definitions.size > 0 && { $defs: Object.fromEntries(definitions) }),
  }
}

function namedSchema(inputs: readonly InputParameter[], comment: DocComment, scope: CompilerScope): JSONSchema {
  const properties = inputs.map((input): [string, JSONSchema] => [input.name, parameterSchema(input, comment, scope)])
  const required = inputs.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  return { properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) }
}

/** Comments by the paths that places have: those of a parameter that is the whole input begin with its fields. */
function fieldComments({ parameters }: DocComment, inputs: readonly InputParameter[]): [string, string][] {
  const [only] = inputs
  const prefix = only?.kind === 'whole' ? `${only.commentName}.` : undefined
  return parameters.flatMap(({ path, text }): [string, string][] => {
    if (text === '') return []
    return [[prefix !== undefined && path.startsWith(prefix) ? path.slice(prefix.length) : path, text]]
  })
}

/** By words of its own, or of each of its fields. */
function isDescribed({ description, properties }: JSONSchema): boolean {
  if (description) return true
  // What stands under `properties` is an object of schemas.
  const fields = Object.values((properties ?? {}) as Record<string, JSONSchema>)
  return fields.length > 0 && fields.every(isDescribed)
}

/** What Anthropic takes as a property's name, which is less than the others do. */
const widelyTaken = /^[\w.-]{1,64}$/

function warningsOf(schema: JSONSchema, names: string[], comment: DocComment, scope: CompilerScope): string[] {
  const warnings: string[] = []
  // What stands under `properties` is an object of schemas.
  const properties = schema.properties as Record<string, JSONSchema>
  if (!comment.description) {
    warnings.push('has no description, so a model cannot tell what it does. Write a JSDoc comment above it.')
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!widelyTaken.test(name))
      warnings.push(`has a parameter "${name}", and some models take letters, digits, "_", "." and "-" alone.`)
    if (!isDescribed(property)) warnings.push(`does not say what "${name}" is. Add "@param ${name} …" to its comment.`)
  }
  const known = new Set([...names, ...Object.keys(properties)])
  for (const { path } of comment.parameters) {
    const [root = ''] = path.split('.')
    if (!known.has(root)) warnings.push(`describes "${path}", which is none of its parameters.`)
  }
  return warnings.map((warning) => `${placeOf(scope.node)}: ${scope.name} ${warning}`)
}
