import { parse, type TomlTable, type TomlValue } from 'smol-toml'

/**
 * The line on which a key or a table stands in a valid TOML text, counted from 1.
 *
 * It asks the parser, which knows every way to write a key: the statement that a line belongs to holds the key when
 * the text before the statement parses without the key, and the text to the statement's end has it.
 *
 * @returns `undefined` when no line holds the key's last name as it stands, as with escapes in a quoted key
 */
export function tomlLine(toml: string, path: readonly string[]): number | undefined {
  const lines = toml.split('\n')
  const name = path.at(-1) ?? ''
  for (const [index, line] of lines.entries()) {
    if (line.includes(name) && statementHas(lines, index, path)) return index + 1
  }
  return undefined
}

function statementHas(lines: readonly string[], index: number, path: readonly string[]): boolean {
  let start = index
  let before = parsed(lines.slice(0, start))
  while (!before && start > 0) before = parsed(lines.slice(0, --start))
  if (!before || hasPath(before, path)) return false
  for (let end = index + 1; end <= lines.length; end++) {
    const upToHere = parsed(lines.slice(0, end))
    if (upToHere) return hasPath(upToHere, path)
  }
  return false
}

function parsed(lines: readonly string[]): TomlTable | undefined {
  try {
    return parse(lines.join('\n'))
  } catch {
    return undefined
  }
}

function hasPath(table: TomlTable, path: readonly string[]): boolean {
  let value: TomlValue | undefined = table
  for (const key of path) {
    if (typeof value !== 'object' || !Object.hasOwn(value, key)) return false
    value = (value as TomlTable)[key]
  }
  return true
}
