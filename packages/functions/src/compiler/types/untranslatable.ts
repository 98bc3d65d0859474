import type { ts } from 'ts-morph'
import { type CompilerScope, failAt, type Place, placeOf, UnresolvedType } from '../scope/compiler-scope.ts'

/** The advice for a class of the language, Node or the browser. */
const instead: Readonly<Record<string, string>> = {
  AbortSignal: 'take a last parameter of type ToolContext: its `signal` ends with the call',
  Error: 'take the message, a string',
  Function: 'take a string literal union that says what to do',
  Iterable: 'take an array',
  Map: 'take a Record<string, …>, or an array of pairs',
  ReadonlyMap: 'take a Record<string, …>, or an array of pairs',
  Promise: 'take the value itself',
  RegExp: 'take a string, and make the RegExp inside',
  ReadonlySet: 'take an array',
  Set: 'take an array',
  URL: 'take a string, tagged `@format uri` in its comment',
  String: 'write string',
  Number: 'write number',
  Boolean: 'write boolean',
}

/** Why a type has no JSON Schema, and what to write instead of it. */
const reasons = {
  any: [
    'may be anything, and no comment tells the model what',
    'write a type, or describe in a comment what may stand there',
  ],
  bigInt: ['is a bigint, which JSON does not have', 'take a string, and call BigInt(…) inside'],
  depth: ['is too large for a model to fill in', 'take a smaller type of your own that names what the function needs'],
  enum: ['is an enum with a value that is computed', 'write the value, or take a union of literals'],
  function: [
    'is a function, which JSON cannot hold',
    'leave it out, or take a string literal union that says what to do',
  ],
  keys: [
    'has the keys of a type parameter, which has no value in a tool',
    'name the keys, or take a Record<string, …>',
  ],
  noValue: ['has no value that could be passed', 'leave it out'],
  rest: [
    'has items after its ..., which JSON Schema cannot tell apart',
    'put the ... last, or take an object with a field for each part',
  ],
  symbol: ['is a symbol, which JSON does not have', 'take a string literal union'],
} as const

/** @throws AgentKitError `invalid-argument` for a type that has no JSON Schema, with the reason */
export function failType(reason: keyof typeof reasons, type: ts.Type, place: Place, scope: CompilerScope): never {
  const [problem, advice] = reasons[reason]
  return fail(type, place, scope, { problem, advice })
}

/** @throws AgentKitError `invalid-argument` for a class or an interface of a library, which has no JSON Schema */
export function failClass(type: ts.Type, place: Place, scope: CompilerScope): never {
  const name = type.symbol?.name ?? ''
  const isBinary = /^(Big)?(Int|Uint|Float)\d+(Clamped)?Array$|Buffer$|^(DataView|Blob|File)$/.test(name)
  const advice = instead[name] ?? (isBinary ? 'take a base64 string' : 'take the data it is made of, as an interface')
  return fail(type, place, scope, { problem: 'is an instance of a class, which JSON cannot hold', advice })
}

/** @throws AgentKitError `invalid-argument` for a type parameter without a bound */
export function failUnbound(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = `give it a bound: <${type.symbol?.name ?? 'T'} extends …>`
  return fail(type, place, scope, { problem: 'is a type parameter without a bound', advice })
}

/** @throws UnresolvedType for a type that is not found */
export function failUnresolved(place: Place, scope: CompilerScope): never {
  const written = place.typeNode ? ` (${place.typeNode.getText()})` : ''
  throw new UnresolvedType(
    'invalid-argument',
    `${placeOf(scope.node)}: ${scope.name} cannot be a tool: the type of parameter "${place.path}"${written} is not found. ` +
      'Check its import, and that the package that has it is installed with its types.',
  )
}

function fail(type: ts.Type, place: Place, scope: CompilerScope, why: { problem: string; advice: string }): never {
  const written = scope.checker.typeToString(type)
  const { problem, advice } = why
  failAt(scope, `parameter "${place.path}" (${written}) ${problem}. Instead, ${advice}; or make the tool with tool().`)
}
