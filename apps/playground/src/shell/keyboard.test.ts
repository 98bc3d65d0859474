import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { held, keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const payTurn = { text: 'I want to pay.', toolCalls: [{ name: 'pay_invoice', input: { id: 17 } }] }

describeInBrowser('the keyboard alone', () => {
  const active = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const element = document.activeElement
      return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
    })
  const tabTo = async (page: Page, name: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses++) {
      if ((await active(page)).trim() === name) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`No ${name} is reached by Tab; the last was ${await active(page)}.`)
  }

  it('has the focus after an answer is stopped, also on a computer without a mouse', async () => {
    const answer = held('Never.')
    const { page, ask, settled, button } = await openPage(keeper([answer.turn]))
    await page.evaluate(() => {
      window.matchMedia = (query) => ({ matches: query === '(pointer: none)' }) as MediaQueryList
    })
    await ask('Go')
    await answer.asked
    await button('Stop').focus()
    await page.keyboard.press('Enter')
    await settled()
    await expect.poll(() => active(page)).toBe('Message')
  })

  it('asks, opens the work, decides, shares, edits and deletes', async () => {
    const { page, said, settled } = await openPage(keeper([payTurn, 'It is paid.', 'Edited.']))
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    expect(await active(page)).toBe('Message')
    await page.keyboard.type('Pay')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Allow pay_invoice?' }).waitFor()
    await page.keyboard.press('Shift+Tab')
    await tabToBack(page, 'Allow')
    await page.keyboard.press('Enter')
    await said('It is paid.').waitFor()
    await settled()
    expect(await active(page)).toBe('Message')
    await tabToBack(page, 'Share')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Copy as curl')
    await page.keyboard.press('Escape')
    expect((await active(page)).trim()).toBe('Share')
    await tabToBack(page, 'Edit')
    await page.keyboard.press('Enter')
    expect(await active(page)).toBe('Edit your message')
    await page.keyboard.press('Escape')
    await tabTo(page, 'Edit')
    await page.keyboard.press('Enter')
    await page.keyboard.press('End')
    await page.keyboard.type(' it')
    await page.keyboard.press('Enter')
    await said('Edited.').waitFor()
    await settled()
    await tabToBack(page, 'Delete Pay it')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Delete')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /What can/ }).waitFor()
  })

  const tabToBack = async (page: Page, name: string): Promise<void> => {
    for (let presses = 0; presses < 60; presses++) {
      if ((await active(page)).trim() === name) return
      await page.keyboard.press('Shift+Tab')
    }
    throw new Error(`No ${name} is reached by Shift+Tab; the last was ${await active(page)}.`)
  }

  it('continues where a control has gone: after stopping, renaming, editing, deleting and asking again', async () => {
    const first = held('never')
    const { page, ask, settled, said, message } = await openPage(keeper([first.turn, 'One.', 'Two.']))
    await ask('Bread?')
    await first.asked
    await tabTo(page, 'Stop')
    await page.keyboard.press('Enter')
    await settled()
    expect(await active(page)).toBe('Message')
    await tabToBack(page, 'Regenerate')
    await page.keyboard.press('Enter')
    await said('One.').waitFor()
    await settled()
    expect(await active(page)).toBe('Message')
    await tabToBack(page, 'Edit')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect((await active(page)).trim()).toBe('Edit')
    await tabToBack(page, 'Rename Bread?')
    for (const key of ['Escape', 'Enter']) {
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Title of the conversation' }).waitFor()
      await page.keyboard.press(key)
      await page.getByRole('button', { name: 'Rename Bread?' }).waitFor()
      expect(await active(page)).toBe('Rename Bread?')
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Delete')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    expect(await active(page)).toBe('Message')
    await message.fill('x')
  })

  it('leaves keys to an input method: they send, close and choose nothing', async () => {
    const { page, ask, settled, said, message, button } = await openPage(keeper(['One.', 'Two.']))
    // Chromium marks the event; in Safari, the last one has only the code.
    const press = async (): Promise<void> => {
      for (const key of ['Enter', 'Escape', 'ArrowDown']) {
        for (const mark of [{ isComposing: true }, { keyCode: 229 }]) {
          const init = { key, bubbles: true, cancelable: true, ...mark }
          await page
            .locator(':focus')
            .evaluate((field, given) => field.dispatchEvent(new KeyboardEvent('keydown', given)), init)
        }
      }
    }
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    await message.fill('にほん')
    await press()
    expect(await message.inputValue()).toBe('にほん')
    await button('Edit').click()
    const edited = page.getByRole('textbox', { name: 'Edit your message' })
    await edited.fill('日本')
    await press()
    expect(await edited.inputValue()).toBe('日本')
    await button('Cancel').click()
    await button('Rename Bread?').click()
    const title = page.getByRole('textbox', { name: 'Title of the conversation' })
    await title.fill('東京')
    await press()
    expect(await title.inputValue()).toBe('東京')
    await button('Cancel').click()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search commands' })
    await press()
    expect(await field.getAttribute('aria-activedescendant')).toBe('command-0')
    expect(await page.locator('section.turn').count()).toBe(1)
  })

  it('opens the timeline and steps through a run', async () => {
    const { page, ask, settled, said } = await openPage(keeper([{ toolCalls: [{ name: 'look_up' }] }, 'One.']))
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    await tabToBack(page, 'Work: 2 steps, 1 tool call')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Timeline of the steps' }).waitFor()
    const call = page.getByRole('button', { name: /^look_up done \d/ })
    expect(await call.getAttribute('aria-expanded')).toBe('false')
    await call.focus()
    await page.keyboard.press('Space')
    await page.getByRole('group', { name: 'Result' }).waitFor()
    await page.keyboard.press('Space')
    await page.getByRole('group', { name: 'Result' }).waitFor({ state: 'detached' })
    await tabTo(page, 'Debug')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Debugger' })
    await dialog.getByText(/^Event 1 of/).waitFor()
    await tabTo(page, 'Next tool call')
    await page.keyboard.press('Enter')
    await dialog.getByRole('group', { name: 'The event' }).getByText('"name": "look_up"').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect((await active(page)).trim()).toBe('Debug')
  })

  it('clears the search by Esc before it stops an answer, and a narrow menu takes and returns the focus', async () => {
    const first = held('One.')
    const { page, ask, settled, said, button } = await openPage(keeper([first.turn]), {
      context: { viewport: { width: 320, height: 640 } },
    })
    await ask('Bread?')
    await first.asked
    await tabToBack(page, 'Conversations')
    await page.keyboard.press('Enter')
    expect(await active(page)).toBe('Close conversations')
    await tabTo(page, 'Search conversations')
    await page.keyboard.type('nothing')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.keyboard.press('Escape')
    expect(await active(page)).toBe('Conversations')
    expect(await button('Stop').count()).toBe(1)
    first.release()
    await said('One.').waitFor()
    await settled()
    // The sum of the conversation is there on a narrow screen, too.
    await page.getByRole('banner').getByText('15 tokens · $0.0030').waitFor()
  })

  it('closes the editor of a title, or of a question, by Esc on its buttons too, before it stops an answer', async () => {
    const second = held('Two.')
    const { page, ask, settled, said, button } = await openPage(keeper(['One.', second.turn]))
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    await button('Edit').click()
    await ask('Salt?')
    await second.asked
    const closes = async (field: string): Promise<void> => {
      await page.getByRole('textbox', { name: field }).focus()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Escape')
      await page.getByRole('textbox', { name: field }).waitFor({ state: 'detached' })
      expect(await button('Stop').count()).toBe(1)
    }
    await closes('Edit your message')
    await button('Rename Bread?').click()
    await closes('Title of the conversation')
    second.release()
    await said('Two.').waitFor()
    await settled()
  })

  it('has commands by Ctrl+K: theme, language, conversations', async () => {
    const { page, ask, said, settled, button } = await openPage(keeper(['One.']))
    await ask('Bread?')
    await said('One.').waitFor()
    await settled()
    const run = async (words: string): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(words)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await run('new')
    await page.getByRole('heading', { name: /What can/ }).waitFor()
    await run('bread')
    await said('One.').waitFor()
    await run('theme dark')
    const html = page.locator('html')
    await expect.poll(() => html.getAttribute('data-theme')).toBe('dark')
    await run('deutsch')
    await button('Neuer Chat').waitFor()
    expect(await html.getAttribute('lang')).toBe('de')
    await page.reload()
    await button('Neuer Chat').waitFor()
    expect(await html.getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('Meta+k')
    const field = page.getByRole('dialog').getByRole('combobox')
    await field.press('ArrowDown')
    expect(await field.getAttribute('aria-activedescendant')).toBe('command-1')
    await field.press('ArrowUp')
    await field.press('ArrowUp')
    const last = page.getByRole('dialog').getByRole('option', { selected: true })
    expect(
      await last.evaluate(
        (option) =>
          option.getBoundingClientRect().bottom <= (option.parentElement as Element).getBoundingClientRect().bottom + 1,
      ),
    ).toBe(true)
    await field.fill('nichts davon')
    await page.getByText('Nichts passt.').waitFor()
  })
})
