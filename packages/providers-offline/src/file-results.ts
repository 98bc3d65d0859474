/** A passage that a search has found, and where it stands: `handbook.pdf, page 3, "Holidays"`. */
export type FoundPassage = { place: string; text: string }

/** The passages of what `search_files` gave, the best first; `undefined` when it is no list of passages. */
export function foundPassages(result: string): FoundPassage[] | undefined {
  if (/^(?:Nothing in |There are no files)/.test(result)) return []
  const passages: FoundPassage[] = []
  for (const block of result.split(/\n\n(?=\[\d+\] )/)) {
    const [, number, place = '', text = ''] = /^\[(\d+)\] ([^\n]+)\n([\s\S]*)$/.exec(block) ?? []
    const last = passages.at(-1)
    // A text's own footnotes begin with numbers too, yet hardly with the next one and a file's name.
    if (Number(number) === passages.length + 1 && /\.\w+(?:,| \(|$)/.test(place)) passages.push({ place, text })
    else if (last) last.text += `\n\n${block}`
    else return undefined
  }
  const last = passages.at(-1)
  if (last) last.text = last.text.replace(/\n\n\d+ more passages match\.[^\n]*$/, '')
  return passages
}

/** A file of the list that `list_files` gives. */
export type ListedFile = { file: string; title: string | undefined; line: string; isReadable: boolean }

/** The files of what `list_files` gave, and how many more it says there are. */
export function listedFiles(result: string): { files: ListedFile[]; more: number } {
  const files = result.split('\n').flatMap((line): ListedFile[] => {
    const [, file, facts = ''] = /^(.+?\.\w+): (.*)$/.exec(line) ?? []
    if (file === undefined) return []
    return [{ file, title: /^"([^"]*)"/.exec(facts)?.[1], line, isReadable: !facts.startsWith('cannot be read') }]
  })
  return { files, more: Number(/^(\d+) more: /m.exec(result)?.[1] ?? 0) }
}

/** The text of what `read_file` gave, without its heads, and how many parts the file has; `undefined` when it has none. */
export function readText(file: string, result: string): { text: string; parts: number } | undefined {
  const [head = '', ...paragraphs] = result.split('\n\n')
  if (!head.startsWith(file) || paragraphs.length === 0) return undefined
  const parts = Number(/, part \d+ of (\d+)$/.exec(head)?.[1] ?? 1)
  const text = paragraphs
    .filter((paragraph) => !/^(?:Its headings:\n|It has \d+ parts? and no headings|Go on with part )/.test(paragraph))
    .map((paragraph) => paragraph.replace(/^\[(?:pages?|rows?) [^\]\n]*\]\n/, ''))
    .join('\n\n')
  return { text, parts }
}
