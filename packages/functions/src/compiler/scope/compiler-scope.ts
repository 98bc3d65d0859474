import { relative } from 'node:path'
import { AgentKitError, type JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'

/** What the parts of one function's compilation share. */
export type CompilerScope = {
  readonly ts: typeof ts
  readonly checker: ts.TypeChecker
  /** Whether a file describes the language or its platform, not something of the user's. */
  isLibrary(file: ts.SourceFile): boolean
  /** The function's name. */
  readonly name: string
  /** What is compiled at the moment: errors name its line. */
  node: ts.Node
  /** What the function's docstring says of parameters and fields, by their paths. */
  readonly comments: Map<string, Annotations>
  /** Those paths that there are. */
  readonly commented: Set<string>
  /** Types that are being translated further out: meeting one again makes it a definition. */
  readonly open: Set<ts.Type>
  /** The names of the types that became definitions. */
  readonly named: Map<ts.Type, string>
  readonly definitions: Map<string, JSONSchema>
  /** The schemas that stand for a `Date`. */
  readonly dates: Set<JSONSchema>
  /** A schema that stands for the one that it was made of. */
  instead(made: JSONSchema, schema: JSONSchema): JSONSchema
  /** The schema of a type inside another one, with what comments say of it. */
  schemaOf(type: ts.Type, place: Place, own?: Annotations): JSONSchema
  /** How the types further out are written. */
  readonly typeNodes: ts.TypeNode[]
  /** How many types have been translated. */
  translated: number
}

/** A place in the parameters. */
export type Place = {
  /** As the user would write it: `options.onDone`. */
  readonly path: string
  /** How its type is written, where it is written. */
  readonly typeNode: ts.TypeNode | undefined
  /** Whether a comment says what may stand there. */
  readonly described: boolean
  /** Whether its comment may have been written for another type. */
  readonly isMapped?: boolean
}

/** What comments say of a place: a description, and JSON Schema's keywords. */
export type Annotations = { description?: string | undefined; keywords: JSONSchema }

/** A type that is not there: its library may not be loaded. */
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
