/**
 * JSON data without lone surrogates, in texts and in names: many servers reject a whole request for one.
 * @returns the value itself if it has none
 */
export function wellFormedJSON<Value>(value: Value): Value {
  const text = JSON.stringify(value)
  // JSON.stringify writes an escape that begins with `\ud` for them only.
  if (!text?.includes('\\ud')) return value
  return JSON.parse(text.replace(/\\\\|\\ud[89a-f][\da-f]{2}/g, (found) => (found === '\\\\' ? found : '\ufffd')))
}
