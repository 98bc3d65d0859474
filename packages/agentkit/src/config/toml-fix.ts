/**
 * The fix for a line that is not TOML, as a sentence without its full stop.
 * @param line the line at which the parser has stopped
 * @param reason the message of the parser
 */
export function tomlFix(line: string, reason: string): string {
  const value = line
    .slice(line.indexOf('=') + 1)
    .replace(/#.*/, '')
    .trim()
  if (/[“”„‘’]/.test(line) && isValue(reason)) return `Quotes are " or ': model = "openai/gpt-5.4-mini"`
  if (/^(?:true|false|yes|no|on|off)$/i.test(value)) return 'Write true or false, in small letters'
  if (/^(?:null|none|nil|undefined)$/i.test(value)) return 'Remove the line: a key without a value is left out'
  if (isValue(reason)) return 'Texts are in quotes: model = "openai/gpt-5.4-mini"'
  if (reason.includes('escape')) return String.raw`Write \ twice, or the text in single quotes: 'C:\files'`
  if (reason.includes('redefine')) return 'Write each key and each [table] once'
  if (reason.includes('in strings') && (line.match(/"/g)?.length ?? 0) % 2 === 1)
    return 'End the text with " on its line'
  if (/^\s*\[[^\]]*$/.test(line)) return 'End the name of the table with ]'
  if (/^\s*["']?[\w-]+["']?\s*:/.test(line)) return 'Write = between a key and its value: max_steps = 20'
  return 'Correct the line'
}

function isValue(reason: string): boolean {
  return reason === 'invalid value' || reason.includes('numeric literal')
}
