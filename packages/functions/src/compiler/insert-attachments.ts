/** Text to insert into a file: plain data, as caches hold it. Offsets count UTF-16 units of the text. */
export type Insertion = {
  at: number
  before: string
  /** A call goes between: for the found function of this index, which is `reference` at this place. */
  call?: { index: number; reference: string }
  after: string
}

/**
 * The text with its calls. No line is added.
 * @param call an expression that attaches the tool of this index to the function that `reference` is
 */
export function insertAttachments(
  text: string,
  plan: readonly Insertion[],
  call: (index: number, reference: string) => string,
): string {
  let result = ''
  let end = 0
  for (const { at, before, call: planned, after } of plan) {
    const inserted = planned ? call(planned.index, planned.reference) : ''
    result += text.slice(end, at) + before + inserted + after
    end = at
  }
  return result + text.slice(end)
}
