import { isRecord } from '@agentkit/core/internal'
import type { EvalReport } from '../data/eval-report.ts'
import type { ResultLine, StoredResult } from '../data/stored-result.ts'
import { limits } from '../limits.ts'
import { resultLines, resultsPath } from '../store/results-file.ts'
import { writePieces } from '../store/write-pieces.ts'
import { escapeMarkup } from './escape-markup.ts'
import { overviewHtml } from './overview-html.ts'
import { caseName, figure, milliseconds, problemsOf } from './result-words.ts'

/**
 * Writes the report as one HTML page, which loads nothing and runs no script: means with their intervals, comparisons, and
 * each run with its conversation. Texts of answers are shown as text, whatever they are.
 *
 * Of more than 2,000 runs those are shown that did not pass, then the first others.
 *
 * @param folder where the stored results are, which have the conversations
 * @throws AgentKitError `storage` when the file cannot be written
 */
export async function writeHtml(
  path: string,
  report: EvalReport,
  { folder, results }: { folder: string; results: readonly StoredResult[] },
): Promise<void> {
  const byNeed = [...results.filter(({ passed }) => !passed), ...results.filter(({ passed }) => passed)]
  const shown = new Set(byNeed.slice(0, limits.htmlRuns).map(({ key }) => key))
  const conversations = await conversationsOf(folder, shown)
  await writePieces(path, htmlPieces(report, results, { shown, conversations }))
}

type Conversation = Pick<ResultLine, 'input' | 'messages' | 'members'>

/** The conversations by the key of the result; results beyond the limits have none. */
async function conversationsOf(folder: string, keys: ReadonlySet<string>): Promise<Map<string, Conversation>> {
  const found = new Map<string, Conversation>()
  let chars = 0
  for await (const { key, input, messages, members = [] } of resultLines(resultsPath(folder))) {
    if (!keys.has(key)) continue
    chars += JSON.stringify(messages).length + JSON.stringify(members).length
    if (chars > limits.htmlTranscriptChars) break
    found.set(key, { input, messages, members })
  }
  return found
}

type Shown = { shown: ReadonlySet<string>; conversations: ReadonlyMap<string, Conversation> }

function* htmlPieces(
  report: EvalReport,
  results: readonly StoredResult[],
  { shown, conversations }: Shown,
): Generator<string> {
  const title = escapeMarkup(`Eval: ${report.name}`)
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<h1>${title}</h1>
`
  yield overviewHtml(report)
  const left = results.length - shown.size
  yield `<h2>Runs</h2>\n${left > 0 ? `<p>${left} more runs that passed are in report.json.</p>\n` : ''}`
  for (const result of results) if (shown.has(result.key)) yield runHtml(result, report, conversations.get(result.key))
  yield '</body>\n</html>\n'
}

function runHtml(
  result: StoredResult,
  { threshold, repeats }: EvalReport,
  conversation: Conversation | undefined,
): string {
  const scores = Object.entries(result.scores).map(([scorer, score]) => `${scorer} ${figure(score)}`)
  const tags = result.tags?.length ? ` · ${result.tags.join(', ')}` : ''
  const head = `${result.variant} · ${caseName(result, repeats)}${tags} · ${scores.join(', ')} · ${milliseconds(result.durationMs)}`
  const problems = result.passed ? [] : problemsOf(result, threshold)
  const reasons = Object.entries(result.reasons ?? {}).map(([scorer, reason]) => `${scorer}: ${reason}`)
  const notes = [...new Set([...problems, ...(result.error ? [] : reasons)])]
  return `<details class="${result.passed ? 'passed' : 'missed'}"><summary>${escapeMarkup(head)}</summary>
${notes.length === 0 ? '' : `<ul>${notes.map((note) => `<li>${escapeMarkup(note)}</li>`).join('')}</ul>\n`}${messagesHtml(result, conversation)}</details>
`
}

function messagesHtml({ text }: StoredResult, conversation: Conversation | undefined): string {
  if (!conversation) return messageHtml('assistant', text)
  const messages = recordsOf(conversation.messages)
  const own = messages.length === 0 ? messageHtml('user', wordsOf(conversation.input)) : listHtml(messages)
  const members = recordsOf(conversation.members).map((each) => {
    // A text in its place says that it is too long.
    if (!Array.isArray(each.messages)) return listHtml([each])
    const list = listHtml(recordsOf(each.messages))
    return `<details class="member"><summary>${escapeMarkup(String(each.member))}</summary>\n${list}</details>\n`
  })
  return own + members.join('')
}

function recordsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function listHtml(messages: readonly Record<string, unknown>[]): string {
  return messages.map(({ role, content, name }) => messageHtml(String(role), wordsOf(content, name))).join('')
}

function messageHtml(role: string, text: string): string {
  return `<div class="message"><b>${escapeMarkup(role)}</b><pre>${escapeMarkup(text)}</pre></div>\n`
}

/** The content of a message as text: its texts, calls and results. */
function wordsOf(content: unknown, name?: unknown): string {
  const prefix = typeof name === 'string' ? `${name}: ` : ''
  if (typeof content === 'string') return prefix + content
  if (!Array.isArray(content)) return `${prefix}${JSON.stringify(content) ?? ''}`
  const parts = content.map((part) => {
    if (!isRecord(part)) return JSON.stringify(part)
    if (part.type === 'text' || part.type === 'reasoning') return String(part.text)
    if (part.type === 'tool-call') return `${part.name}(${JSON.stringify(part.input) ?? ''})`
    return `[${part.type}]`
  })
  return prefix + parts.join('\n')
}

const style = `
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 } th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #8884 }
td.figure { font-variant-numeric: tabular-nums; white-space: nowrap; max-width: 20rem; overflow: hidden; text-overflow: ellipsis }
td.figure:last-child { white-space: normal } svg { display: block }
details { border-left: 4px solid #2a8a4a; margin: .25rem 0; padding: .25rem .75rem } details.missed { border-color: #c0392b } details.member { border-color: #8888 }
summary { cursor: pointer; overflow-wrap: anywhere } pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
.message { margin: .5rem 0 }
`
