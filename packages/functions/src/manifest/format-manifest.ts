import { formatHeader, jsonLine } from './header.ts'
import type { Manifest } from './manifest.ts'

/** The text of a manifest module. The same functions always give the same text. */
export function formatManifest({ header, attachFrom, functions }: Manifest): string {
  const names = moduleNames(functions.map(({ from }) => from))
  const imports = [...names].map(([from, name]) => `import * as ${name} from ${quoted(from)}`)
  const calls = functions.map(({ from, path, compiled }) => {
    const reference = `${names.get(from)}${path.map(access).join('')}`
    return `attachTool(${reference}, ${literal(compiled, '', `attachTool(${reference}, )`.length)})`
  })
  return [
    '// Made by `agentkit tools build`. Do not edit: change the functions, and build again.',
    '// The app imports it once, ahead of its agents.',
    formatHeader(header),
    '/* eslint-disable */',
    [`import { attachTool } from ${quoted(attachFrom)}`, ...imports].join('\n'),
    '',
    `${calls.join('\n\n')}\n`,
  ].join('\n')
}

/** The variable names by import. They have a suffix, because files are also named `class.ts` and `attach-tool.ts`. */
function moduleNames(imports: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const from of imports) {
    if (names.has(from)) continue
    const base = moduleName(from)
    let name = base
    for (let count = 2; taken.has(name); count += 1) name = `${base}${count}`
    taken.add(name)
    names.set(from, name)
  }
  return names
}

/** `./order-status.ts` → `orderStatusModule`, `./chain/index.ts` → `chainModule` */
function moduleName(from: string): string {
  const [folder = '', last = ''] = `/${from}`
    .replace(/(?<=[^/.])\.[cm]?[jt]sx?$/, '')
    .split('/')
    .slice(-2)
  const words = (last === 'index' && /\w/.test(folder) ? folder : last).split(/[^\w$]+/).filter(Boolean)
  const [first = 'file', ...rest] = words
  const name = `${first}${rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Module`
  return identifier.test(name) ? name : `_${name}`
}

const lineWidth = 100

/** @param used how much of the line is taken already */
function literal(value: unknown, indent: string, used: number): string {
  const flat = flatLiteral(value)
  if (typeof value !== 'object' || value === null || used + flat.length <= lineWidth) return flat
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => inner + literal(item, inner, inner.length + 1))
    : Object.entries(value).map(([key, item]) => {
        const start = `${inner}${propertyName(key)}: `
        return start + literal(item, inner, start.length + 1)
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return [`${open}`, ...lines.map((line) => `${line},`), `${indent}${close}`].join('\n')
}

function flatLiteral(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(flatLiteral).join(', ')}]`
  const properties = Object.entries(value).map(([key, item]) => `${propertyName(key)}: ${flatLiteral(item)}`)
  return properties.length === 0 ? '{}' : `{ ${properties.join(', ')} }`
}

/** Without the letters on which compilers of different age do not agree. */
const identifier = /^[A-Za-z_$][\w$]*$/

function propertyName(key: string): string {
  // Written as a name, it would set the object's prototype.
  if (key === '__proto__') return "['__proto__']"
  return identifier.test(key) ? key : quoted(key)
}

function access(name: string): string {
  return identifier.test(name) ? `.${name}` : `[${quoted(name)}]`
}

function quoted(text: string): string {
  const inner = jsonLine(text).slice(1, -1)
  return text.includes("'") ? `"${inner}"` : `'${inner.replaceAll('\\"', '"')}'`
}
