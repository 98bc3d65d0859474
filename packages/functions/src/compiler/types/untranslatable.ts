import type { ts } from 'ts-morph'
import { type CompilerScope, failAt, type Place, placeOf, UnresolvedType } from '../scope/compiler-scope.ts'

/** What to write instead of a class of the language, Node or the browser. */
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

/** Why a class or an interface of a library has no JSON Schema. */
export function failClass(type: ts.Type, place: Place, scope: CompilerScope): never {
  const name = type.symbol?.name ?? ''
  const binary = /^(Big)?(Int|Uint|Float)\d+(Clamped)?Array$|Buffer$|^(DataView|Blob|File)$/.test(name)
  const advice = instead[name] ?? (binary ? 'take a base64 string' : 'take the data it is made of, as an interface')
  return fail(type, place, scope, 'is an instance of a class, which JSON cannot hold', advice)
}

export function failFunction(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'leave it out, or take a string literal union that says what to do'
  return fail(type, place, scope, 'is a function, which JSON cannot hold', advice)
}

export function failAny(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'write a type, or describe in a comment what may stand there'
  return fail(type, place, scope, 'may be anything, and no comment tells the model what', advice)
}

export function failUnbound(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = `give it a bound: <${type.symbol?.name ?? 'T'} extends …>`
  return fail(type, place, scope, 'is a type parameter without a bound', advice)
}

export function failKeys(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'name the keys, or take a Record<string, …>'
  return fail(type, place, scope, 'has the keys of a type parameter, which has no value in a tool', advice)
}

export function failEnum(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'write the value, or take a union of literals'
  return fail(type, place, scope, 'is an enum with a value that is computed', advice)
}

export function failRest(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'put the ... last, or take an object with a field for each part'
  return fail(type, place, scope, 'has items after its ..., which JSON Schema cannot tell apart', advice)
}

export function failBigInt(type: ts.Type, place: Place, scope: CompilerScope): never {
  return fail(type, place, scope, 'is a bigint, which JSON does not have', 'take a string, and call BigInt(…) inside')
}

export function failSymbol(type: ts.Type, place: Place, scope: CompilerScope): never {
  return fail(type, place, scope, 'is a symbol, which JSON does not have', 'take a string literal union')
}

export function failNothing(type: ts.Type, place: Place, scope: CompilerScope): never {
  return fail(type, place, scope, 'has no value that could be passed', 'leave it out')
}

export function failDepth(type: ts.Type, place: Place, scope: CompilerScope): never {
  const advice = 'take a smaller type of your own that names what the function needs'
  return fail(type, place, scope, 'is too large for a model to fill in', advice)
}

export function failUnresolved(place: Place, scope: CompilerScope): never {
  const written = place.typeNode ? ` (${place.typeNode.getText()})` : ''
  throw new UnresolvedType(
    'invalid-argument',
    `${placeOf(scope.node)}: ${scope.name} cannot be a tool: the type of parameter "${place.path}"${written} is not found. ` +
      'Check its import, and that the package that has it is installed with its types.',
  )
}

function fail(type: ts.Type, place: Place, scope: CompilerScope, problem: string, advice: string): never {
  const written = scope.checker.typeToString(type)
  failAt(scope, `parameter "${place.path}" (${written}) ${problem}. Instead, ${advice}; or make the tool with tool().`)
}
