/** The front matter of a Markdown file. */
export type FrontMatter = {
  title?: string
  /** Other texts of the front matter: a description, a summary. */
  notes: string[]
  /** The offset of the body. */
  end: number
}

const longest = 100_000
const longestKey = 500
const noteKeys = ['description', 'summary', 'excerpt', 'abstract', 'subtitle']

/** Reads YAML between `---` or TOML between `+++`. A text that merely begins with a rule has no front matter. */
export function readFrontMatter(source: string): FrontMatter {
  const fence = /^(?:---|\+\+\+)(?=[ \t]*\n)/.exec(source)?.[0]
  if (fence === undefined) return { notes: [], end: 0 }
  const start = source.indexOf('\n') + 1
  const closing = fence === '---' ? /^(?:---|\.\.\.)[ \t]*$/gm : /^\+\+\+[ \t]*$/gm
  const head = source.slice(start, start + longest)
  const close = closing.exec(head)
  if (close === null) return { notes: [], end: 0 }
  const matter = head.slice(0, close.index)
  // There may also be plain text between two rules.
  const first = matter.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  if (first !== undefined && !/^(?:["']?[\w.$ -]+["']?\s*[:=]|\[|- |\{)/.test(first.slice(0, longestKey)))
    return { notes: [], end: 0 }
  const values = fence === '---' ? readYaml(matter) : readToml(matter)
  const [title] = pick(values, ['title'])
  const notes = pick(values, noteKeys).filter((note) => note !== title)
  return { ...(title !== undefined && { title }), notes, end: start + close.index + close[0].length }
}

function pick(values: ReadonlyMap<string, string>, keys: readonly string[]): string[] {
  const found = keys.map((key) => values.get(key)?.replace(/\s+/g, ' ').trim() ?? '')
  return [...new Set(found)].filter((value) => value !== '')
}

/** The top-level strings of a YAML document: plain, quoted, folded, and multi-line. */
function readYaml(matter: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const entry of matter.split(/\n(?=[^\s#])/)) {
    const match = /^["']?([\w-]+)["']?\s*:(?:[ \t]+|(?=\n|$))([\s\S]*)$/.exec(entry)
    if (match === null) continue
    const [, key = '', written = ''] = match
    const block = /^[|>][-+\d]*[ \t]*(?:#[^\n]*)?\n([\s\S]*)$/.exec(written)
    if (block?.[1] !== undefined) values.set(key.toLowerCase(), block[1])
    else if (!/^[[{&*!]/.test(written) && !/^[^\S\n]*\n\s*(?:- |[\w-]+:\s)/.test(written))
      values.set(key.toLowerCase(), plainValue(written))
  }
  return values
}

function readToml(matter: string): Map<string, string> {
  const values = new Map<string, string>()
  // Keys below the first table header belong to that table.
  const top = matter.split(/^\[/m, 1)[0] ?? ''
  for (const [, key = '', long, longPlain, rest = ''] of top.matchAll(
    /^["']?([\w-]+)["']?[ \t]*=[ \t]*(?:"""((?:(?!""")[\s\S])*)"""|'''((?:(?!''')[\s\S])*)'''|([^\n]*))/gm,
  )) {
    const value = long ?? longPlain ?? plainValue(rest)
    if (long !== undefined || longPlain !== undefined || /^["']/.test(rest)) values.set(key.toLowerCase(), value)
  }
  return values
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: ' ', 0: '' }

function plainValue(written: string): string {
  const value = written.trim()
  const double = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(value)?.[1]
  if (double !== undefined) {
    return double.replace(/\\(?:u([\da-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, sign: string) =>
      code === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)).toWellFormed(),
    )
  }
  const single = /^'((?:[^']|'')*)'/.exec(value)?.[1]
  if (single !== undefined) return single.replaceAll("''", "'")
  // The last line alone: a search through all of them would take quadratic time.
  const last = Math.max(0, value.lastIndexOf('\n'))
  return value.slice(0, last) + value.slice(last).replace(/\s#[^\n]*$/, '')
}
