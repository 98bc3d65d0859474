import { relative } from 'node:path'
import { AgentKitError, type JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'

/** The shared state of one function's compilation. */
export type CompilerScope = {
  readonly ts: typeof ts
  readonly checker: ts.TypeChecker
  /** Whether a file describes the language or its platform, not something of the user's. */
  isLibrary(file: ts.SourceFile): boolean
  /** The function's name. */
  readonly name: string
  /** The node being compiled; errors name its line. */
  node: ts.Node
  /** The docstring's annotations of parameters and fields, by their paths. */
  readonly comments: Map<string, Annotations>
  /** The existing paths. */
  readonly commented: Set<string>
  /** The enclosing types; a type that occurs again inside itself becomes a definition. */
  readonly open: Set<ts.Type>
  /** The names of the types that became definitions. */
  readonly named: Map<ts.Type, string>
  readonly definitions: Map<string, JSONSchema>
  /** The schemas of `Date`s. */
  readonly dates: Set<JSONSchema>
  /** Schemas that were derived from others. */
  instead(made: JSONSchema, schema: JSONSchema): JSONSchema
  /** The schema of a type inside another one, with what comments say of it. */
  schemaOf(type: ts.Type, place: Place, own?: Annotations): JSONSchema
  /** The type nodes of the enclosing types. */
  readonly typeNodes: ts.TypeNode[]
  /** How many types have been translated. */
  translated: number
}

/** A location in the parameters. */
export type Place = {
  /** The path as the user would write it: `options.onDone`. */
  readonly path: string
  /** The type node, if the type is written. */
  readonly typeNode: ts.TypeNode | undefined
  /** Whether a comment describes its values. */
  readonly described: boolean
  /** Whether its comment may have been written for another type. */
  readonly isMapped?: boolean
}

/** The annotations of a location: a description, and JSON Schema keywords. */
export type Annotations = { description?: string | undefined; keywords: JSONSchema }

/** A missing type: its library may not be loaded. */
export class UnresolvedType extends AgentKitError {}

/** `src/chain.ts:12` */
export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
  return `${relative(process.cwd(), file.fileName).replaceAll('\\', '/')}:${line + 1}`
}

/** @throws AgentKitError `invalid-argument` */
export function failAt(scope: Pick<CompilerScope, 'name' | 'node'>, problem: string): never {
  throw new AgentKitError('invalid-argument', `${placeOf(scope.node)}: ${scope.name} cannot be a tool: ${problem}`)
}
