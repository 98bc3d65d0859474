import { parse, type TomlTable, type TomlValue } from 'smol-toml'

/**
 * The line of a key or a table in a valid TOML text, counted from 1.
 *
 * The parser decides, as it knows every way to write a key: a statement defines the key if the text before the
 * statement parses without the key, and the text up to its end parses with it.
 *
 * @returns `undefined` when no line contains the key's last name literally, for example in a quoted key with escapes
 */
export function tomlLine(toml: string, path: readonly string[]): number | undefined {
  const lines = toml.split('\n')
  const name = path.at(-1) ?? ''
  for (const [index, line] of lines.entries()) {
    if (mayDefine(line, name) && definesPath(lines, index, path)) return index + 1
  }
  return undefined
}

/** Whether what follows a name can follow a key. Parsing for each line of a long instruction would take seconds. */
function mayDefine(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    if (/^["']?[ \t]*[=.\]]/.test(line.slice(at + name.length, at + name.length + 80))) return true
  }
  return false
}

function definesPath(lines: readonly string[], index: number, path: readonly string[]): boolean {
  let start = index
  let before = parsed(lines.slice(0, start))
  while (!before && start > 0) before = parsed(lines.slice(0, --start))
  if (!before || hasPath(before, path)) return false
  for (let end = index + 1; end <= lines.length; end++) {
    const upToEnd = parsed(lines.slice(0, end))
    if (upToEnd) return hasPath(upToEnd, path)
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
