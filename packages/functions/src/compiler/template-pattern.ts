import type { JSONSchema } from '@agentkit/core'
import type { ts } from 'ts-morph'
import type { CompilerScope } from './compiler-scope.ts'

/** A template literal type as a string with a pattern: `0x${string}` is `^0x[\s\S]*$`. */
export function templatePattern({ texts, types }: ts.TemplateLiteralType, scope: CompilerScope): JSONSchema {
  const parts = texts.map((text, index) => {
    const type = types[index]
    return escaped(text) + (type ? partPattern(type, scope) : '')
  })
  return { type: 'string', pattern: `^${parts.join('')}$` }
}

function partPattern(type: ts.Type, scope: CompilerScope): string {
  const { TypeFlags } = scope.ts
  if (type.flags & TypeFlags.Number) return String.raw`-?\d+(\.\d+)?([eE][+-]?\d+)?`
  if (type.flags & TypeFlags.BigInt) return String.raw`-?\d+`
  if (type.flags & TypeFlags.TemplateLiteral) {
    return String(templatePattern(type as ts.TemplateLiteralType, scope).pattern).slice(1, -1)
  }
  return String.raw`[\s\S]*`
}

/** As a pattern with the flag `u` takes it. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
