import { Agent, memorySessions } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const tokens = { 'the-token-of-ada-1': 'ada', 'the-token-of-all-1': '*' }

describeInBrowser('a chat', () => {
  it('begins with a sample prompt, and streams an answer in Markdown', async () => {
    const { page, button, settled, said } = await openPage(
      keeper([{ text: '# Found\n\nIt is **250 euros**.', deltas: 9 }]),
    )
    await page.getByRole('heading', { name: 'What can Book Keeper do for you?' }).waitFor()
    await button('What is invoice 17?').click()
    await page.getByRole('heading', { name: 'Found' }).waitFor()
    await settled()
    expect(await page.locator('strong', { hasText: '250 euros' }).count()).toBe(1)
    expect(await said(/10 tokens in, 5 out · \$0\.0030 · .* · test\/scripted/).count()).toBe(1)
    await page.getByText('15 tokens · $0.0030').waitFor()
    await page.getByRole('navigation').getByRole('button', { name: 'What is invoice 17?', exact: true }).waitFor()
  })

  it('sends by Enter, and begins a line by Shift+Enter', async () => {
    const model = scriptedModel(['Fine.'])
    const { page, message, settled, said } = await openPage(keeper([], { model }))
    await message.fill('one')
    await message.press('Shift+Enter')
    await page.keyboard.type('two')
    expect(model.requests).toHaveLength(0)
    await message.press('Enter')
    await said('Fine.').waitFor()
    await settled()
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ content: 'one\ntwo' })
    expect(await message.inputValue()).toBe('')
  })

  it.each(['button', 'Escape'])(
    'is stopped by %s; the text so far stays, and the question can be asked again',
    async (how) => {
      const first = held('never')
      const { page, ask, button, settled, said } = await openPage(keeper([first.turn, 'Now it is.']))
      await ask('Wait')
      await first.asked
      if (how === 'button') await button('Stop').click()
      else await page.keyboard.press('Escape')
      await settled()
      await said(/· stopped$/).waitFor()
      await button('Regenerate').click()
      await said('Now it is.').waitFor()
      await settled()
      expect(await page.locator('section.turn').count()).toBe(1)
    },
  )

  it('is in the list of conversations while its answer has not begun', async () => {
    const first = held('Fine.')
    const { page, ask } = await openPage(keeper([first.turn]))
    await ask('Wait')
    await page.getByRole('navigation').getByRole('button', { name: /^Wait/ }).first().waitFor()
    first.release()
  })

  it.each([
    ['tab', 'visibilitychange'],
    ['window', 'focus'],
  ])('shows a question of another %s when the reader comes back', async (_, event) => {
    const { page, ask, settled } = await openPage(keeper(['One.', 'Two.', 'Three.']))
    await ask('First?')
    await settled()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByText('One.').waitFor()
    await ask('Second?')
    await settled()
    expect(await tab.getByText('Two.').count()).toBe(0)
    await tab.evaluate((type) => void document.dispatchEvent(new Event(type, { bubbles: true })), event)
    await tab.getByText('Two.').waitFor()
    expect(await tab.locator('section.turn').count()).toBe(2)
  })

  it('shows a question of another tab also where one of its own has followed it', async () => {
    const { page, ask, settled } = await openPage(keeper(['One.', 'Two.', 'Three.']))
    await ask('First?')
    await settled()
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await tab.getByText('One.').waitFor()
    await ask('Second?')
    await settled()
    await tab.getByRole('textbox', { name: 'Message', exact: true }).fill('Third?')
    await tab.keyboard.press('Enter')
    await tab.getByRole('log').getByText('Three.').waitFor()
    await tab.locator('article[aria-busy=true]').waitFor({ state: 'detached' })
    await tab.evaluate(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await tab.getByText('Two.').waitFor()
    expect(await tab.locator('.question').allInnerTexts()).toEqual(
      ['First?', 'Second?', 'Third?'].map((text) => expect.stringContaining(text)),
    )
  })

  it('is stopped before the server has answered, and its run ends', async () => {
    const first = held('never')
    const { page, ask, button, said } = await openPage(keeper([first.turn]))
    const sent = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    await page.route('**/api/v1/chat_stream', async (route) => {
      sent.resolve()
      await gate.promise
      await route.continue()
    })
    await ask('Wait')
    await sent.promise
    await page.keyboard.press('Escape')
    await button('Stop').waitFor({ state: 'detached' })
    gate.resolve()
    await said(/· stopped$/).waitFor()
  })

  it('replaces an answer, and a question that is edited, with all that followed', async () => {
    const model = scriptedModel(['One.', 'Two.', 'Two again.', 'Three.'])
    const { page, ask, button, settled, message, said } = await openPage(keeper([], { model }))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await ask('Second?')
    await said('Two.').waitFor()
    await settled()
    await button('Regenerate').last().click()
    await said('Two again.').waitFor()
    await settled()
    await button('Edit').first().click()
    const field = page.getByRole('textbox', { name: 'Edit your message' })
    expect(await field.inputValue()).toBe('First?')
    await field.fill('Third?')
    await field.press('Enter')
    await said('Three.').waitFor()
    await settled()
    expect(await page.locator('section.turn').count()).toBe(1)
    expect(model.requests.at(-1)?.messages.filter(({ role }) => role !== 'system')).toHaveLength(1)
    expect(await message.count()).toBe(1)
    await page.reload()
    await said('Three.').waitFor()
    expect(await page.getByText('Second?').count()).toBe(0)
  })

  it('copies an answer', async () => {
    const { page, ask, button, settled, said } = await openPage(keeper(['It is **250**.']), {
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await ask('What is it?')
    await said('250').first().waitFor()
    await settled()
    await button('Copy').click()
    await button('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('It is **250**.')
  })

  it('continues an answer after a reload in the middle of it', async () => {
    const second = held({ text: 'Here it is.', deltas: 4 })
    const { page, ask, settled, said } = await openPage(
      keeper([{ text: 'Let me look.', toolCalls: [{ name: 'look_up' }] }, second.turn]),
    )
    await ask('What is it?')
    await said('Let me look.').waitFor()
    await second.asked
    await page.reload()
    await said('Let me look.').waitFor()
    second.release()
    await said('Here it is.').waitFor()
    await settled()
    expect(await page.locator('section.turn').count()).toBe(1)
  })

  it('works on a server that stores nothing, and reports each failure with its fix', async () => {
    const agent = new Agent({
      name: 'Plain',
      functions: [],
      model: scriptedModel(['One.', { text: 'Tw', deltas: 1, error: new Error('SECRET') }]),
      sessions: memorySessions(),
      retry: { attempts: 1 },
    })
    const { page, ask, settled, button, said } = await openPage(agent)
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await ask('Second?')
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(
      /This did not work.*Try it again in a moment.*provider-error.*Run id: run_/s,
    )
    expect(await page.textContent('body')).not.toContain('SECRET')
    await settled()
    expect(await button('Debug').count()).toBe(0)
    await page.getByText('price unknown').first().waitFor()
    expect(await page.textContent('.cost')).not.toMatch(/\$0\b/)
  })

  it('shows of a failed run its error, and tries it again', async () => {
    const { page, ask, button, settled, said } = await openPage(keeper([new Error('SECRET'), 'Better.']))
    await ask('Go')
    await page.getByRole('alert').getByText('provider-error').waitFor()
    await settled()
    // Unknown figures are not shown as 0.
    expect(await page.locator('.cost').textContent()).toMatch(/^tokens unknown · price unknown · /)
    expect(await page.locator('.sum').count()).toBe(0)
    await button('Regenerate').click()
    await said('Better.').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.textContent('body')).not.toContain('SECRET')
  })

  it('lists conversations: searches, opens, renames and deletes them', async () => {
    const { page, ask, button, settled, said } = await openPage(keeper(['About bread.', 'About cake.']))
    const list = page.getByRole('navigation', { name: 'Conversations' })
    const entry = (name: string) => list.getByRole('button', { name, exact: true })
    await ask('Bread?')
    await said('About bread.').waitFor()
    await settled()
    await button('New chat').click()
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    await ask('Cake?')
    await said('About cake.').waitFor()
    await settled()
    await entry('Bread?').click()
    await said('About bread.').waitFor()
    expect(await said('About cake.').count()).toBe(0)

    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('cake')
    await entry('Bread?').waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('nothing has this')
    await page.getByText('No conversation has this text.').waitFor()
    await page.getByRole('searchbox').fill('')

    await button('Rename Bread?').click()
    await page.getByRole('textbox', { name: 'Title of the conversation' }).fill('The baker')
    await page.keyboard.press('Enter')
    await entry('The baker').waitFor()

    await button('Delete The baker').click()
    await page
      .getByRole('dialog', { name: 'Delete this conversation?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await entry('The baker').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    await entry('Cake?').waitFor()
  })

  it('stays where the reader is, who opens the work of an answer or scrolls up', async () => {
    const long = `${'A paragraph of some words.\n\n'.repeat(60)}The end.`
    const { page, ask, settled, said, button } = await openPage(keeper([{ toolCalls: [{ name: 'look_up' }] }, long]))
    const log = page.getByRole('log')
    const fromEnd = (): Promise<number> =>
      log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight)
    await ask('Long?')
    await said('The end.').waitFor()
    await settled()
    await expect.poll(fromEnd).toBeLessThan(4)
    await log.evaluate((element) => element.scrollTo(0, 0))
    await page.getByText(/^Work:/).click()
    await page.locator('.call').waitFor()
    expect(await log.evaluate((element) => element.scrollTop)).toBe(0)
    await button('Jump to the latest').click()
    await expect.poll(fromEnd).toBeLessThan(4)
  })

  it('goes back and forth by the buttons of the browser', async () => {
    const { page, ask, button, settled, said } = await openPage(keeper(['One.']))
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await button('New chat').click()
    await said('One.').waitFor({ state: 'detached' })
    await page.goBack()
    await said('One.').waitFor()
  })
})

describeInBrowser('who may chat', () => {
  it('is asked for a token, which stays in the tab and out of addresses', async () => {
    const token = 'the-token-of-ada-1'
    const { page, ask, settled, requests, button, allowed, said } = await openPage(keeper(['Hello Ada.']), {
      auth: { tokens },
    })
    await page.getByRole('heading', { name: 'Sign in to Book Keeper' }).waitFor()
    const field = page.getByLabel('Token')
    const hasFocus = (): Promise<boolean> => field.evaluate((input) => input === document.activeElement)
    expect(await hasFocus()).toBe(true)
    allowed.push(/401/)
    await field.fill('a-wrong-token-of-ada')
    await field.press('Enter')
    await page.getByText('The server did not accept this token.').waitFor()
    expect(await hasFocus()).toBe(true)
    await field.fill(token)
    await button('Sign in').click()
    await ask('Hello')
    await said('Hello Ada.').waitFor()
    await settled()
    expect(await page.getByLabel('User id').count()).toBe(0)
    expect(requests.filter((url) => url.includes('token'))).toEqual([])
    expect(await page.evaluate(() => [Object.values(sessionStorage), JSON.stringify(localStorage)])).toEqual([
      [token],
      '{}',
    ])
    await page.reload()
    await said('Hello Ada.').waitFor()
    await button('Sign out').click()
    await page.getByRole('heading', { name: /Sign in/ }).waitFor()
    expect(await hasFocus()).toBe(true)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('chooses the user with a token for any', async () => {
    const { page, ask, settled, said } = await openPage(keeper(['Hello Bob.']), { auth: { tokens } })
    await page.getByLabel('Token').fill('the-token-of-all-1')
    await page.keyboard.press('Enter')
    await page.getByLabel('User id').fill('bob')
    await page.keyboard.press('Enter')
    await ask('Hello')
    await said('Hello Bob.').waitFor()
    await settled()
    await page.getByLabel('User id').fill('ada')
    await page.keyboard.press('Enter')
    await page.getByText('No conversations yet.').waitFor()
  })
})
