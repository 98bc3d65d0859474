import { serve } from '@agentkit/server'
import type { Locator, Page, Route } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { held, keeper, team } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

const tokens = { 'the-token-of-ada-1': 'ada' }
const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }
const markdown = [
  '# Title',
  '## Sub\n\nText with `code`, a [link](https://example.com/a) and **bold**.',
  '- one\n- [x] two\n',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '```ts\nconst a: number = 1 // one\n```',
  '> quoted',
].join('\n\n')

describeInBrowser('the page has no violation that axe finds, light or dark', () => {
  it('at the login, before and after a wrong token', async () => {
    const { page, allowed } = await openPage(keeper([]), { auth: { tokens } })
    await page.getByLabel('Token').waitFor()
    expect(await violations(page)).toEqual([])
    allowed.push(/401/)
    await page.getByLabel('Token').fill('a-wrong-token-of-ada')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('in an empty chat, an answer in Markdown with its work open, a failed one, and while a title is edited', async () => {
    const turns = [{ toolCalls: [{ name: 'look_up' }] }, markdown, new Error('down')]
    const { page, ask, said, settled, button } = await openPage(keeper(turns))
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await ask('Show me')
    await said('quoted').waitFor()
    await settled()
    await page.getByText(/^Work:/).click()
    await page.locator('.call > button').click()
    await page.locator('.hljs-keyword').waitFor()
    await page.getByText('Share', { exact: true }).click()
    expect(await violations(page)).toEqual([])
    await ask('Fail')
    await page.getByRole('alert').waitFor()
    await settled()
    await button('Rename Show me').click()
    await button('Edit').first().click()
    expect(await violations(page)).toEqual([])
  })

  it('while an answer comes, and while it waits for approval', async () => {
    const second = held(payTurn)
    const { page, ask, said, button } = await openPage(
      keeper([{ text: 'Looking.', toolCalls: [{ name: 'look_up' }] }, second.turn], { budget: { tokens: 1_000_000 } }),
    )
    await ask('Pay')
    await said('Looking.').waitFor()
    await second.asked
    await page.getByRole('meter').waitFor()
    expect(await violations(page)).toEqual([])
    second.release()
    await button('Allow').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('with the agents of a swarm, the debugger, the commands and the question before deleting', async () => {
    const swarm = team([{ toolCalls: [{ name: 'baker', input: { task: 'bake' } }] }, 'All is done.'], {
      Baker: ['Baked.'],
    })
    const { page, ask, said, settled, button } = await openPage(swarm)
    await ask('Bake')
    await said('All is done.').waitFor()
    await settled()
    await page.getByText(/^Work:/).click()
    expect(await violations(page)).toEqual([])
    await button('Debugger').click()
    await page.getByRole('button', { name: /^run_/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: /^run_/ }).click()
    await button('Next tool call').click()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /Search commands/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await button('Delete Bake').click()
    await page.getByRole('dialog').waitFor()
    expect(await violations(page)).toEqual([])
  })

  it('at 320 pixels, with the menu closed and open', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper([markdown]), {
      context: { viewport: { width: 320, height: 640 } },
    })
    await ask('Show me')
    await said('quoted').waitFor()
    await settled()
    expect(await violations(page)).toEqual([])
    await button('Conversations').click()
    await button('Show me').waitFor()
    expect(await violations(page)).toEqual([])
  })
})

describeInBrowser('a narrow screen', () => {
  it('of 320 pixels shows everything without scrolling sideways', async () => {
    const wide = `${'wide '.repeat(30)}${'w'.repeat(300)}\n\n| ${'column | '.repeat(30)}\n|${'---|'.repeat(30)}\n| ${'cell | '.repeat(30)}`
    const { page, ask, settled, button } = await openPage(keeper([wide, payTurn]), {
      context: { viewport: { width: 320, height: 640 } },
    })
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth)
    const overflow = (): Promise<number> =>
      page.evaluate(() => {
        const log = document.querySelector('.log')
        return log ? log.scrollWidth - log.clientWidth : -1
      })
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    expect(await width()).toBe(320)
    await ask('Wide')
    await page.locator('table').waitFor()
    await settled()
    expect([await width(), await overflow()]).toEqual([320, 0])
    await ask('Pay')
    await button('Allow').waitFor()
    expect([await width(), await overflow()]).toEqual([320, 0])
    await button('Conversations').click()
    await button('New chat').click()
    await page.getByRole('heading', { name: /What can/ }).waitFor()
  })
})

describeInBrowser('a screen that is low, as at 400 % zoom', () => {
  it('shows all of the login and of the menu, which scroll', async () => {
    const options = {
      auth: { tokens: { 'the-token-of-all': '*' } },
      context: { viewport: { width: 320, height: 256 } },
    }
    const { page, button } = await openPage(keeper([]), options)
    const scrolled = async (part: Locator, by: number): Promise<void> => {
      await part.waitFor()
      await page.mouse.wheel(0, by)
      const isShown = (one: Element): boolean => {
        const { top, bottom } = one.getBoundingClientRect()
        return top >= 0 && bottom <= window.innerHeight
      }
      await expect.poll(() => part.evaluate(isShown)).toBe(true)
    }
    await page.mouse.move(100, 128)
    await scrolled(page.getByLabel('Language'), 1_000)
    await scrolled(page.getByRole('heading', { name: /^Sign in/ }), -1_000)
    await page.getByLabel('Token').fill('the-token-of-all')
    await page.keyboard.press('Enter')
    await button('Conversations').click()
    await page.mouse.move(100, 200)
    await scrolled(button('Sign out'), 1_000)
    await scrolled(button('New chat'), -1_000)
  })
})

describeInBrowser('the message box', () => {
  it('leaves room for the conversation with a long text at 400 % zoom', async () => {
    const context = { viewport: { width: 320, height: 256 } }
    const { page, message, button } = await openPage(keeper([]), { context })
    await message.fill('A line\n'.repeat(30))
    await expect.poll(() => message.evaluate((field) => field.getBoundingClientRect().height)).toBeGreaterThan(60)
    const { y, height } = (await button('Send').boundingBox()) ?? { y: 0, height: 999 }
    expect(y + height).toBeLessThanOrEqual(256)
    expect(await page.getByRole('log').evaluate((log) => log.clientHeight)).toBeGreaterThan(20)
  })

  it('stays on the page with many files above it', async () => {
    const agent = keeper([])
    const { page, message } = await openPage(agent)
    await message.waitFor()
    await page.route('**/api/v1/info', async (route) => {
      const response = await route.fetch()
      const info = (await response.json()) as { accepts: object; caller: object }
      const accepts = { ...info.accepts, files: ['.md'] }
      return route.fulfill({ response, json: { ...info, accepts, caller: { ...info.caller, upload: true } } })
    })
    await page.route('**/api/v1/files*', (route) => route.fulfill({ json: { files: [], details: [] } }))
    await page.reload()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Add files' }).click(),
    ])
    const files = Array.from({ length: 40 }, (_, at) => ({
      name: `${at}.exe`,
      mimeType: 'x/y',
      buffer: Buffer.from('x'),
    }))
    await chooser.setFiles(files)
    await page.getByText('not accepted here: 39.exe').waitFor()
    const { y, height } = (await message.boundingBox()) ?? { y: 0, height: 9_999 }
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
    expect(await violations(page)).toEqual([])
  })
})

describeInBrowser('a token that is refused later', () => {
  const auth = { tokens: { 'the-token-of-ada-1': 'ada', 'the-token-of-ada-2': 'ada', 'the-token-of-bob-1': 'bob' } }
  const refusal = { status: 401, json: { code: 'unauthorized', detail: 'It has expired.' } }

  /** A page on which one question was answered. */
  async function answered(): Promise<Awaited<ReturnType<typeof openPage>>> {
    const place = await openPage(keeper(['One.', 'Two.']), { auth })
    const { page, ask, said, settled, allowed } = place
    allowed.push(/401/)
    await signIn(page, 'the-token-of-ada-1')
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    return place
  }

  it('loses no question, and shows the next user nothing of the one before', async () => {
    const { page, ask, message, said, settled, button } = await answered()
    await page.route('**/chat_stream', (route) => route.fulfill(refusal))
    await ask('A question of many words')
    await page.getByLabel('Token').waitFor()
    await page.unroute('**/chat_stream')
    await signIn(page, 'the-token-of-ada-1')
    await said('One.').waitFor()
    expect(await message.inputValue()).toBe('A question of many words')
    await message.press('Enter')
    await said('Two.').waitFor()
    await settled()

    await button('Sign out').click()
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/v1/sessions?*', async (route) => {
      asked.resolve()
      await answer.promise
      await route.continue()
    })
    await signIn(page, 'the-token-of-bob-1')
    await asked.promise
    await message.waitFor()
    expect(await page.getByRole('navigation').textContent()).toBe('No conversations yet.')
    answer.resolve()
  })

  it('is not taken for one that was given meanwhile', async () => {
    const { page, ask, message, said } = await answered()
    const lists: Route[] = []
    const late = Promise.withResolvers<Route>()
    await page.route('**/api/v1/sessions?*', async (route) => {
      if (lists.push(route) === 1) late.resolve(route)
      else await route.continue()
    })
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    const list = await late.promise
    await page.route('**/chat_stream', (route) => route.fulfill(refusal))
    await ask('More bread?')
    await page.getByText('The server did not accept this token.').waitFor()
    await page.unroute('**/chat_stream')
    await signIn(page, 'the-token-of-ada-2')
    await said('One.').waitFor()
    const refused = page.waitForResponse(
      (response) => response.url().includes('/sessions?') && response.status() === 401,
    )
    await list.fulfill(refusal)
    await refused
    await message.press('Enter')
    await said('Two.').waitFor()
  })
})

describeInBrowser('plain HTTP from another machine', () => {
  it('is enough for a chat', async () => {
    const agent = keeper(['**One**.'])
    const server = await serve(agent, { port: 0, log: () => {}, allowedHosts: ['page.test'] })
    onTestFinished(() => server.close())
    // Another name of this machine, which a browser trusts no more than another machine.
    const url = server.url.replace('127.0.0.1', 'page.test')
    const { page, ask, said, settled, button } = await openPage(agent, { server: { ...server, url } })
    expect(await page.evaluate(() => isSecureContext)).toBe(false)
    await ask('Bread?')
    await said('One').waitFor()
    await settled()
    await button('Copy').click()
    await button('Copied').waitFor()
  })
})

describeInBrowser('theme and language', () => {
  it('follow the system', async () => {
    const { page, button } = await openPage(keeper([]), { context: { locale: 'de-AT', colorScheme: 'dark' } })
    await button('Neuer Chat').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    const ground = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const dark = await ground()
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await ground()).not.toBe(dark)
  })

  it('are chosen by a control of each', async () => {
    const { page, ask, settled, button } = await openPage(keeper(['```js\nbread()\n```']))
    await ask('Code?')
    await button('Copy code').waitFor()
    await settled()
    await page.getByLabel('Language').selectOption('Deutsch')
    await button('Neuer Chat').waitFor()
    await button('Code kopieren').waitFor()
    expect(await button('Copy code').count()).toBe(0)
    await page.getByLabel('Farbschema').selectOption('Dunkel')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.getByLabel('Farbschema').selectOption('System')
    expect(await page.locator('html').getAttribute('data-theme')).toBe(null)
  })
})

describeInBrowser('a screen reader', () => {
  it('announces sentences, not tokens, and how the answer has ended', async () => {
    const second = held({ text: 'The first is here. The second comes', deltas: 12 })
    const { page, ask, settled } = await openPage(keeper([second.turn]))
    await page.evaluate(() => {
      const announced: string[] = []
      Object.assign(window, { announced })
      const region = document.querySelector('[role=status]')
      new MutationObserver(() => announced.push(region?.textContent ?? '')).observe(region as Node, {
        childList: true,
        characterData: true,
        subtree: true,
      })
    })
    await ask('Go')
    await second.asked
    second.release()
    await settled()
    await expect.poll(() => page.getByRole('status').first().textContent()).toContain('The answer is complete.')
    const announced = ((await page.evaluate('announced')) as string[]).filter((text) => text !== '')
    expect(announced[0]).toBe('Sent. Waiting for the answer.')
    expect(announced.length).toBeLessThanOrEqual(4)
    expect(announced.slice(1).join(' ')).toMatch(/The first is here\..*The second comes/)
    expect(await page.getByRole('log').getAttribute('aria-live')).toBe('off')
  })
})

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.keyboard.press('Enter')
}
