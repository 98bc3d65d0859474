/** JSON that is easy to read and to compare in git: what fits on a line is on one, otherwise one item per line. */
export function formatEntry(value: unknown, indent = '', key = ''): string {
  const line = key + oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) return line
  const deeper = `${indent}  `
  const items = Array.isArray(value)
    ? value.map((item) => formatEntry(item, deeper))
    : definedFields(value).map(([name, item]) => formatEntry(item, deeper, `${JSON.stringify(name)}: `))
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${key}${open}\n${items.map((item) => deeper + item).join(',\n')}\n${indent}${close}`
}

const lineWidth = 120

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  // Values without a JSON form are `null` in a list.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = definedFields(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function definedFields(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined)
}
