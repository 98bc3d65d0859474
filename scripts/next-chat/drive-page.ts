import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The part of `playwright-core` that is used. It is installed with the app and not in this repository. */
type Locator = {
  fill(text: string): Promise<void>
  click(): Promise<void>
  waitFor(options?: { state?: 'attached' | 'visible' }): Promise<void>
  count(): Promise<number>
  getAttribute(name: string): Promise<string | null>
  first(): Locator
}
type Page = {
  goto(url: string): Promise<unknown>
  reload(): Promise<unknown>
  locator(selector: string, options?: { hasText?: string | RegExp }): Locator
  getByRole(role: string, options: { name: string; exact: boolean }): Locator
  setDefaultTimeout(milliseconds: number): void
  on(event: 'pageerror', listener: (error: Error) => void): void
}
type Browser = { newPage(): Promise<Page>; close(): Promise<void> }
type Playwright = {
  chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> }
}

/** Chats with the agent on the page: an answer, an approval, a reload in mid-run, a stop, a regenerated answer. */
export async function drivePage({ app, url, chromium }: { app: string; url: string; chromium: string }): Promise<void> {
  const load = createRequire(join(app, 'package.json'))
  const playwright = load('playwright-core') as Playwright // the types above
  // In a container Chromium has no sandbox of its own; the page is ours.
  const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(url)
    await useChat(page)
    if (errors.length > 0) throw new Error(`The page has thrown: ${errors.join('; ')}`)
  } finally {
    await browser.close()
  }
}

async function useChat(page: Page): Promise<void> {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true })
  const ready = (): Promise<void> => page.locator('main[data-status=ready]').waitFor()
  const running = (): Promise<void> => page.locator('main:not([data-status=ready])').waitFor()
  const answer = (text: string | RegExp): Locator => page.locator('section[data-role=assistant] p', { hasText: text })
  const ask = async (question: string): Promise<void> => {
    await ready()
    await page.getByRole('textbox', { name: 'Question', exact: true }).fill(question)
    await button('Send').click()
  }

  await ask('Look up invoice 17')
  await answer('Baker & Sons').first().waitFor()
  await ready()
  console.log('  the answer, and the call of its tool, are on the page')

  const first = await page.locator('section[data-role=assistant]').getAttribute('id')
  await button('Regenerate').click()
  await page.locator(`section[data-role=assistant]:not([id="${first}"])`).waitFor()
  await ready()
  await expectCount(page.locator('section[data-role=assistant]'), 1)
  await answer('Baker & Sons').first().waitFor()
  console.log('  a regenerated answer has replaced it')

  await ask('Pay invoice 17: 250 euros')
  await button('Approve').waitFor()
  await page.reload()
  await button('Approve').click()
  await running()
  await page.reload()
  await running()
  await answer('250 euros paid').first().waitFor()
  await ready()
  await expectCount(page.locator('section[data-role=assistant]'), 2)
  await expectCount(page.locator('[data-tool=output-available]', { hasText: 'payInvoice' }), 1)
  console.log('  a call was approved after a reload, and after another one in mid-run its answer was there')

  await page.reload()
  await answer('250 euros paid').first().waitFor()
  console.log('  the conversation is still there after a reload')

  await ask('Pay invoice 18: 90 euros')
  await button('Approve').click()
  await running()
  await button('Stop').click()
  await ready()
  await expectCount(answer('90 euros paid'), 0)
  console.log('  a run was stopped')

  await ask('Pay invoice 19: 70 euros')
  await button('Deny').click()
  await page.locator('[data-tool=output-denied]').waitFor()
  await ready()
  console.log('  a call was denied')
}

async function expectCount(locator: Locator, expected: number): Promise<void> {
  const count = await locator.count()
  if (count !== expected) throw new Error(`The page has ${count} of what it should have ${expected} of.`)
}
