/**
 * The text of a text delta that has nothing to unescape, without parsing JSON: almost all events are such deltas, and
 * parsing is most of the cost of a token. `undefined` for any other event.
 */
export function plainTextDelta(data: string): string | undefined {
  if (!data.startsWith(deltaHead)) return undefined
  const head = data.indexOf(textHead, deltaHead.length)
  if (head === -1 || head > deltaHead.length + longestIndex) return undefined
  const start = head + textHead.length
  const end = data.indexOf('"', start)
  if (end === -1) return undefined
  const text = data.slice(start, end)
  // Some events are padded with spaces.
  const isWhole = data.endsWith('}}') ? data.length === end + 3 : /^} *} *$/.test(data.slice(end + 1))
  return isWhole && !text.includes('\\') ? text : undefined
}

const deltaHead = '{"type":"content_block_delta","index":'
const textHead = ',"delta":{"type":"text_delta","text":"'
const longestIndex = 4
