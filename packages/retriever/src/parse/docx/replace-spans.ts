/**
 * Replaces the text between an opening tag and the next closing one, including both. Unlike a regular expression, which
 * searches the end for each opening tag, it takes linear time, also when nothing is closed.
 *
 * @param open global; matches an opening tag
 * @param close the closing tag
 */
export function replaceSpans(xml: string, open: RegExp, close: string, replace: (span: string) => string): string {
  let result = ''
  let done = 0
  for (let tag = next(0); tag !== null; tag = next(done)) {
    const at = xml.indexOf(close, tag.index + tag[0].length)
    if (at < 0) break
    const end = at + close.length
    result += xml.slice(done, tag.index) + replace(xml.slice(tag.index, end))
    done = end
  }
  return result + xml.slice(done)

  function next(from: number): RegExpExecArray | null {
    open.lastIndex = from
    return open.exec(xml)
  }
}
