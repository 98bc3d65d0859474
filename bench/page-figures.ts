import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type ModelEvent } from '@agentkit/core'
import { createApp } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { median } from './processes.ts'

const tokens = 10_000
const perSecond = 200

/** The figures of one page with one long answer. */
type Streamed = {
  firstTokenMs: number
  longestTaskMs: number
  frameP95Ms: number
  firstThousandMs: number
  lastThousandMs: number
}

type Figure = { name: string; page: number; baseline?: number; goal: string; isMet: boolean }

/** Measures the page at `/` beside an empty page, and beside one that appends plain text, in the same browser. */
export async function pageFigures(rounds: number): Promise<Figure[]> {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const { url, close } = await startServer()
  try {
    const paints = await interleaved(rounds, ['/empty', '/'], (path) => firstPaint(browser, url + path))
    const answers = await interleaved(rounds, ['/plain', '/'], (path) => streamed(browser, url + path))
    const heap = await heapOfTurns(browser, `${url}/`)
    const of = (path: string, name: keyof Streamed): number => median((answers[path] ?? []).map((one) => one[name]))
    const paintOf = (path: string): number => median(paints[path] ?? [])
    const [paint, emptyPaint] = [paintOf('/'), paintOf('/empty')]
    const [token, plainToken] = [of('/', 'firstTokenMs'), of('/plain', 'firstTokenMs')]
    const [frame, plainFrame] = [of('/', 'frameP95Ms'), of('/plain', 'frameP95Ms')]
    const longest = of('/', 'longestTaskMs')
    const growth = of('/', 'lastThousandMs') / of('/', 'firstThousandMs')
    return [
      {
        name: 'first contentful paint, ms',
        page: paint,
        baseline: emptyPaint,
        goal: '≤ +150',
        isMet: paint <= emptyPaint + 150,
      },
      { name: 'first token, ms', page: token, baseline: plainToken, goal: '≤ +50', isMet: token <= plainToken + 50 },
      {
        name: 'longest task, ms',
        page: longest,
        baseline: of('/plain', 'longestTaskMs'),
        goal: '≤ 100',
        isMet: longest <= 100,
      },
      { name: 'p95 of frames, ms', page: frame, baseline: plainFrame, goal: '≤ ×2', isMet: frame <= plainFrame * 2 },
      { name: 'last 1,000 tokens ÷ first', page: growth, goal: '≤ 1.5', isMet: growth <= 1.5 },
      { name: 'heap, turn 200 ÷ turn 100', page: heap, goal: '≤ 1.1', isMet: heap <= 1.1 },
    ]
  } finally {
    await browser.close()
    close()
  }
}

export function printPage(figures: readonly Figure[]): void {
  console.table(
    figures.map(({ name, page, baseline, goal, isMet }) => ({
      ...{ figure: name, page: round(page), baseline: baseline === undefined ? '' : round(baseline) },
      ...{ goal, met: isMet ? 'yes' : 'NO' },
    })),
  )
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

async function startServer(): Promise<{ url: string; close(): void }> {
  const agent = new Agent({
    name: 'Bench',
    functions: [],
    sessions: sqliteSessions(':memory:'),
    model: { id: 'bench/pace', stream },
  })
  const app = new Hono()
  app.get('/empty', (context) => context.html('<!doctype html><p>Empty</p>'))
  app.get('/plain', (context) => context.html(plainPage))
  app.route('/', createApp(agent, { log: () => {} }))
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close().closeAllConnections(),
  }
}

/** Tokens of the long answer so far. */
let emitted = 0

/** Answers "long" with 10,000 tokens of Markdown at 200 per second, and all else with a sentence. */
async function* stream(request: { messages: readonly { content: unknown }[] }): AsyncGenerator<ModelEvent> {
  const isLong = JSON.stringify(request.messages.at(-1)).includes('long')
  const parts = isLong ? Array.from({ length: tokens }, (_, index) => tokenAt(index)) : ['A short ', 'answer.']
  const begin = performance.now()
  let text = ''
  for (const [index, part] of parts.entries()) {
    const wait = isLong ? begin + (index * 1_000) / perSecond - performance.now() : 0
    if (wait > 2) await sleep(wait)
    text += part
    if (isLong) emitted++
    yield { type: 'text-delta', text: part }
  }
  const message = { v: 1, role: 'assistant', content: [{ type: 'text', text }] } as const
  yield {
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 10, outputTokens: parts.length },
    message: { ...message, content: [...message.content] },
  }
}

/** Paragraphs, lists, tables and code, about as a model writes them. */
function tokenAt(index: number): string {
  const inSection = index % 250
  if (inSection === 0) return `\n\n## Section ${index / 250}\n\n`
  if (inSection < 100) return inSection % 50 === 0 ? '.\n\n' : inSection % 9 === 0 ? ' **word**' : ' word'
  if (inSection < 150) return inSection % 10 === 0 ? '\n- item' : ' more'
  if (inSection === 150) return '\n\n| a | b |\n|---|---|\n'
  if (inSection < 170) return '| cell | `code` |\n'
  if (inSection === 170) return '\n\n```ts\n'
  if (inSection < 248) return inSection % 8 === 0 ? '\n' : 'const a = 1; '
  return inSection === 248 ? '\n```\n\n' : ' so'
}

/** Sends a question as the page does, and appends what comes. */
const plainPage = `<!doctype html><textarea aria-label="Message"></textarea><pre id="answer" style="white-space:pre-wrap"></pre><script>
document.querySelector('textarea').addEventListener('keydown', async (event) => {
  if (event.key !== 'Enter') return
  event.preventDefault()
  const body = JSON.stringify({ user_id: 'a', session_id: crypto.randomUUID(), resumable: true, messages: [{ role: 'user', content: event.target.value }] })
  const response = await fetch('/api/v1/chat_stream', { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' }, body })
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\\n\\n')
    rest = events.pop()
    for (const text of events) {
      const data = text.split('\\n').find((line) => line.startsWith('data:'))
      const event = data && JSON.parse(data.slice(5))
      if (event && event.type === 'text-delta') document.querySelector('#answer').append(event.text)
    }
  }
})
</script>`

async function interleaved<Result>(
  rounds: number,
  paths: readonly string[],
  measure: (path: string) => Promise<Result>,
) {
  const results: Record<string, Result[]> = {}
  for (let round = 0; round < rounds; round++) {
    for (const path of paths) {
      results[path] ??= []
      results[path].push(await measure(path))
    }
  }
  return results
}

async function firstPaint(browser: Browser, url: string): Promise<number> {
  const { page, close } = await open(browser, url)
  await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0")
  const paint = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime")
  await close()
  return paint
}

async function streamed(browser: Browser, url: string): Promise<Streamed> {
  const { page, session, close } = await open(browser, url)
  const field = page.getByRole('textbox', { name: 'Message' })
  emitted = 0
  await field.fill('long')
  await page.evaluate(watchPage)
  await field.press('Enter')
  const taskAt = async (count: number): Promise<number> => {
    // The page shows a token within a frame or two.
    while (emitted < count) await sleep(5)
    return taskMs(session)
  }
  const [none, first, ninth, last] = [await taskAt(1), await taskAt(1_000), await taskAt(9_000), await taskAt(9_990)]
  const watched = await page.evaluate<{ firstTokenMs: number; longestTaskMs: number; frames: number[] }>(
    'window.watched',
  )
  await close()
  const frames = watched.frames.sort((one, other) => one - other)
  return {
    firstTokenMs: watched.firstTokenMs,
    longestTaskMs: watched.longestTaskMs,
    frameP95Ms: frames[Math.floor(frames.length * 0.95)] ?? 0,
    firstThousandMs: first - none,
    lastThousandMs: ((last - ninth) * 1_000) / 990,
  }
}

/** Runs in the page. */
function watchPage(): void {
  const answer = (): string => document.querySelector('.markdown, #answer')?.textContent ?? ''
  const watched = { firstTokenMs: 0, longestTaskMs: 0, frames: [] as number[] }
  Object.assign(window, { watched })
  let asked = 0
  addEventListener(
    'keydown',
    () => {
      asked = performance.now()
    },
    { capture: true },
  )
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longestTaskMs = Math.max(watched.longestTaskMs, duration)
  }).observe({ type: 'longtask' })
  let before = performance.now()
  // After the frame, which a page may still change by its own callback.
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    if (watched.firstTokenMs === 0 && asked > 0 && answer() !== '') watched.firstTokenMs = performance.now() - asked
  }
  const frame = (now: number): void => {
    if (watched.firstTokenMs === 0) port2.postMessage('')
    if (watched.firstTokenMs > 0) watched.frames.push(now - before)
    before = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
}

/** The heap after 200 short turns as a ratio of that after 100. */
async function heapOfTurns(browser: Browser, url: string): Promise<number> {
  const { page, session, close } = await open(browser, url)
  const field = page.getByRole('textbox', { name: 'Message' })
  const sizes: number[] = []
  for (let turn = 1; turn <= 200; turn++) {
    await field.fill(`Question ${turn}`)
    await field.press('Enter')
    await page
      .getByRole('region', { name: `Question ${turn}`, exact: true })
      .locator('.cost')
      .waitFor()
    if (turn % 100 !== 0) continue
    await session.send('HeapProfiler.collectGarbage')
    sizes.push((await session.send('Runtime.getHeapUsage')).usedSize)
  }
  await close()
  return (sizes[1] ?? 0) / (sizes[0] ?? 1)
}

async function open(
  browser: Browser,
  url: string,
): Promise<{ page: Page; session: CDPSession; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1_200, height: 850 } })
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  await page.goto(url)
  return { page, session, close: () => context.close() }
}

async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
}
