/** The fields of a docstring, in Python's style: `:param name: text`, `:return: text`. */
export type DocFields = {
  /** The text without the fields. */
  text: string
  returns: string
  parameters: { path: string; text: string }[]
}

/** `:param name:`, `:param str name:`, `:return:`, and others that are irrelevant to a model. */
const field = /^\s*:(param|parameter|arg|argument|return|returns|type|rtype|raise|raises)\b([^:]*):[ \t]*(.*)$/

/** Extracts the fields of a docstring. A field continues until an empty line. */
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
    // The name may follow a type.
    const path = subject.split(/\s+/).at(-1)
    if (!/^(param|arg)/.test(kind) || !path) return () => {}
    const parameter = { path, text: '' }
    fields.parameters.push(parameter)
    return (line) => {
      parameter.text += `${line}\n`
    }
  }
}
