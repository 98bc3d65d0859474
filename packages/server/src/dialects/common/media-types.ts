const texts: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.mdx': 'text/markdown',
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xml': 'application/xml',
  '.json': 'application/json',
  '.jsonl': 'application/jsonl',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.toml': 'application/toml',
}

const others: Readonly<Record<string, string>> = {
  '.pdf': 'application/pdf',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** The media type of a file whose kind is not known. */
export const unknownType = 'application/octet-stream'

/** The media type of a file by the extension of its name, and whether its content is text. */
export function mediaTypeOf(name: string): { type: string; isText: boolean } {
  const [, extension = ''] = /.(\.[a-z0-9]+)$/.exec(name.toLowerCase()) ?? []
  const text = Object.hasOwn(texts, extension) ? texts[extension] : undefined
  if (text !== undefined) return { type: text, isText: true }
  const other = Object.hasOwn(others, extension) ? others[extension] : undefined
  return { type: other ?? unknownType, isText: false }
}
