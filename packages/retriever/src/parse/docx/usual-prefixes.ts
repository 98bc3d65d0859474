/** The prefixes by which the other files of this folder know the elements of a document. */
const usual: ReadonlyMap<string, string> = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/math', 'm'],
  ['http://purl.oclc.org/ooxml/officeDocument/math', 'm'],
  ['http://schemas.openxmlformats.org/markup-compatibility/2006', 'mc'],
  ['urn:schemas-microsoft-com:vml', 'v'],
])

/** The length of the text in which the root element declares its namespaces. */
const headLength = 20_000

/** XML with the usual prefixes: some programs write a document again with `ns0:p` for `w:p`. */
export function withUsualPrefixes(xml: string): string {
  const declared = [...xml.slice(0, headLength).matchAll(/\sxmlns:([\w.-]{1,100})\s?=\s?["']([^"'<>]*)["']/g)]
  const taken = new Set(declared.map(([, prefix]) => prefix))
  const prefixes = new Map<string, string>()
  for (const [, prefix = '', uri = ''] of declared) {
    const name = usual.get(uri)
    if (name !== undefined && !taken.has(name)) prefixes.set(prefix, name)
  }
  if (prefixes.size === 0) return xml
  return xml.replace(/<[^<>]*>/g, (tag) =>
    tag.replace(/(\sxmlns:|<\/?|\s)([\w.-]+)(?=[:=])/g, (whole, before: string, prefix: string) => {
      const name = prefixes.get(prefix)
      return name === undefined ? whole : before + name
    }),
  )
}
