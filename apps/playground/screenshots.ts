// Draws the pictures of `docs/playground`: `node --conditions=@agentkit/source apps/playground/screenshots.ts`, after
// `npm run page`. It needs an installed Chromium.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Runnable } from '@agentkit/core'
import { serve } from '@agentkit/server'
import { sqliteSessions } from '@agentkit/sessions'
import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { held, keeper, team } from './src/__fixtures__/agents.ts'
import { findChromium } from './src/__fixtures__/find-chromium.ts'

const folder = join(import.meta.dirname, '../../docs/playground')
mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] })

const lookUp = { text: 'Let me look that up.', toolCalls: [{ name: 'look_up', input: { invoice: 17 } }] }
const found = `## Invoice 17

Baker & Sons asks for **250 euros**, due on 1 December.

| Item | Amount |
|---|---|
| Bread, 40 loaves | 200 € |
| Cakes | 50 € |

\`\`\`ts
const total = items.reduce((sum, { amount }) => sum + amount, 0) // 250
\`\`\`

Shall I pay it?`
const payTurn = {
  text: 'I need your permission for that.',
  toolCalls: [{ name: 'pay_invoice', input: { invoice: 17, amount: 250 } }],
}

await picture('empty', keeper([]), async () => {})
await picture('answer', keeper([lookUp, { text: found, deltas: 30 }]), async (page) => {
  await ask(page, 'What is invoice 17?')
  await page.locator('.hljs-keyword').waitFor()
  await page.getByText(/^Work:/).click()
  await page.locator('.call > button').click()
})
await picture('approval', keeper([payTurn], { budget: { tokens: 20_000 } }), async (page) => {
  await ask(page, 'Pay invoice 17.')
  await page.getByRole('button', { name: 'Allow' }).waitFor()
})
const members = {
  Researcher: [{ toolCalls: [{ name: 'look_up' }] }, 'Three bakers deliver on Sundays.'],
  Writer: [new Error('down')],
}
const calls = {
  toolCalls: [
    { name: 'researcher', input: { task: 'Which bakers deliver?' } },
    { name: 'writer', input: { task: 'Write a letter' } },
  ],
}
await picture(
  'swarm',
  team([calls, 'Three bakers deliver on Sundays; the letter has to wait.'], members),
  async (page) => {
    await ask(page, 'Who delivers bread on Sundays? Write to them.')
    await page.getByText(/^Work:/).click()
  },
  { colorScheme: 'dark' },
)
await picture('error', keeper([new Error('down')]), async (page) => {
  await ask(page, 'What is invoice 18?')
  await page.getByRole('alert').waitFor()
})
const place = mkdtempSync(join(tmpdir(), 'agentkit-page-'))
mkdirSync(join(place, 'files'))
writeFileSync(join(place, 'agentkit_config.toml'), '')
writeFileSync(
  join(place, 'files', 'handbook.md'),
  '# Handbook\n\nWelcome to the bakery.\n\n## Holidays\n\nEverybody has 30 days of holidays a year. They are agreed with the shift leader.\n',
)
const library = new Agent({
  name: 'Library',
  functions: [],
  configPath: join(place, 'agentkit_config.toml'),
  sessions: sqliteSessions(':memory:'),
  retriever: { folder: join(place, 'files'), indexPath: join(place, 'index') },
  model: scriptedModel([
    { toolCalls: [{ name: 'search_files', input: { query: 'holidays' } }] },
    'Everybody has **30 days** of holidays a year.',
  ]),
})
await picture('source', library, async (page) => {
  await ask(page, 'How many holidays do I have?')
  await page.getByRole('button', { name: /^Source 1/ }).click()
  await page.locator('mark').waitFor()
})
await library.close()
rmSync(place, { recursive: true, force: true })
await picture(
  'debugger',
  keeper([lookUp, found]),
  async (page) => {
    await ask(page, 'What is invoice 17?')
    await page.getByRole('button', { name: 'Debug', exact: true }).click()
    await page.getByRole('button', { name: 'Next tool call' }).click()
    await page.getByRole('button', { name: 'Next', exact: true }).click()
  },
  { colorScheme: 'dark' },
)
const second = held('never')
await picture(
  'narrow',
  keeper([{ text: found, deltas: 9 }, second.turn], { budget: { tokens: 100_000 } }),
  async (page) => {
    await ask(page, 'What is invoice 17?')
    await page.locator('.hljs-keyword').waitFor()
  },
  { viewport: { width: 320, height: 700 } },
)
await browser.close()

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
  await page.getByRole('log').locator('.cost').waitFor()
}

async function picture(
  name: string,
  agent: Runnable,
  act: (page: Page) => Promise<void>,
  context: BrowserContextOptions = {},
): Promise<void> {
  const server = await serve(agent, { port: 0, log: () => {} })
  const opened = await browser.newContext({
    viewport: { width: 1_100, height: 760 },
    locale: 'en-US',
    reducedMotion: 'reduce',
    ...context,
  })
  const page = await opened.newPage()
  await page.goto(`${server.url}/`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  await act(page)
  await page.waitForTimeout(300)
  if (name === 'answer' || name === 'swarm') await page.locator('.log').evaluate((log) => log.scrollTo(0, 0))
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await opened.close()
  await server.close()
}
