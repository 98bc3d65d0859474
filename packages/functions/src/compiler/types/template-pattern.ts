import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope } from '../scope/compiler-scope.ts'

/** The pattern of a string type: `0x${string}` is `^0x[\s\S]*$`, and `Uppercase<string>` `^\P{Ll}*$`. */
export function writtenString(type: ts.Type, scope: CompilerScope): JSONSchema {
  return { type: 'string', pattern: `^${partPattern(type, scope)}$` }
}

/** The pattern of a record's keys; undefined if they may be any string. */
export function keyPattern(type: ts.Type, scope: CompilerScope): string | undefined {
  const pattern = partPattern(type, scope)
  return pattern === anything ? undefined : `^${pattern}$`
}

const anything = String.raw`[\s\S]*`

function partPattern(type: ts.Type, scope: CompilerScope): string {
  const { TypeFlags } = scope.ts
  if (type.flags & TypeFlags.Number) return String.raw`-?\d+(\.\d+)?([eE][+-]?\d+)?`
  if (type.flags & TypeFlags.BigInt) return String.raw`-?(0|[1-9]\d*)`
  // The flags say which kind of type it is.
  if (type.flags & TypeFlags.TemplateLiteral) return templatePattern(type as ts.TemplateLiteralType, scope)
  if (type.flags & TypeFlags.StringMapping) return mappedPattern(type as ts.StringMappingType, scope)
  return anything
}

function templatePattern({ texts, types }: ts.TemplateLiteralType, scope: CompilerScope): string {
  return texts
    .map((text, index) => {
      const type = types[index]
      return escaped(text) + (type ? partPattern(type, scope) : '')
    })
    .join('')
}

/** The patterns by the names of TypeScript's string types. */
const mappings: Readonly<Record<string, string>> = {
  Uppercase: String.raw`\P{Ll}*`,
  Lowercase: String.raw`\P{Lu}*`,
  Capitalize: String.raw`(\P{Ll}[\s\S]*)?`,
  Uncapitalize: String.raw`(\P{Lu}[\s\S]*)?`,
}

function mappedPattern({ symbol, type }: ts.StringMappingType, scope: CompilerScope): string {
  const inner = partPattern(type, scope)
  return inner === anything ? (mappings[symbol.name] ?? anything) : inner
}

/** Escapes a text for a pattern with the flag `u`. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
