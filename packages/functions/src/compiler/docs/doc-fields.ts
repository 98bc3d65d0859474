/** What a docstring says in fields, as Python's do: `:param name: text`, `:return: text`. */
export type DocFields = {
  /** All that is no field. */
  text: string
  returns: string
  parameters: { path: string; text: string }[]
}

/** `:param name:`, `:param str name:`, `:return:`, and others that say nothing to a model. */
const field = /^\s*:(param|parameter|arg|argument|return|returns|type|rtype|raise|raises)\b([^:]*):[ \t]*(.*)$/

/** Takes the fields out of a docstring. A field goes on over the lines that follow, up to an empty one. */
export function readFields(docstring: string): DocFields {
  const fields: DocFields = { text: '', returns: '', parameters: [] }
  let add = addText
  for (const line of docstring.split(/\r?\n/)) {
    const [, kind, subject = '', text = ''] = field.exec(line) ?? []
    if (kind !== undefined) {
      add = adder(kind, subject.trim())
      add(text)
    } else {
      if (line.trim() === '') add = addText
      add(line)
    }
  }
  return fields

  function addText(line: string): void {
    fields.text += `${line}\n`
  }

  function adder(kind: string, subject: string): (line: string) => void {
    if (kind.startsWith('return')) {
      return (line) => {
        fields.returns += `${line}\n`
      }
    }
    // A type may stand before the name.
    const path = subject.split(/\s+/).at(-1)
    if (!/^(param|arg)/.test(kind) || !path) return () => {}
    const parameter = { path, text: '' }
    fields.parameters.push(parameter)
    return (line) => {
      parameter.text += `${line}\n`
    }
  }
}
