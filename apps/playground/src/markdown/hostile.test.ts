import type { JSONValue } from '@agentkit/core'
import { tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { hostileTexts } from '../__fixtures__/hostile-texts.ts'
import { describeInBrowser, type OpenPage, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

/** Sets a mark that a script of the content would change. */
async function watch({ page }: OpenPage): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { alert: () => Object.assign(window, { hacked: true }), hacked: false })
  })
}

async function expectHarmless({ page }: OpenPage): Promise<void> {
  const state = await page.evaluate(() => {
    const log = document.querySelector('.log')
    const inside = [...document.querySelectorAll('.log *')]
    return {
      hacked: 'hacked' in window && window.hacked,
      overflow: log ? log.scrollWidth - log.clientWidth : -1,
      width: document.documentElement.scrollWidth - window.innerWidth,
      forbidden: inside
        .filter(
          (element) =>
            /^(SCRIPT|IFRAME|OBJECT|EMBED|FORM|STYLE|LINK|META|BASE|VIDEO|AUDIO|MATH)$/i.test(element.tagName) &&
            !element.closest('.editor'),
        )
        .map(({ tagName }) => tagName),
      handlers: inside.flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on') || name === 'style' || name === 'srcset'),
      ),
      links: [...document.querySelectorAll<HTMLAnchorElement>('.log a')]
        .map(({ protocol }) => protocol)
        .filter((protocol) => !/^(https?|mailto):$/.test(protocol)),
      images: [...document.querySelectorAll<HTMLImageElement>('.log img')]
        .map(({ src }) => src.slice(0, 11))
        .filter((src) => src !== 'data:image/'),
    }
  })
  expect(state).toEqual({ hacked: false, overflow: 0, width: 0, forbidden: [], handlers: [], links: [], images: [] })
}

describeInBrowser('hostile content', () => {
  // One page for all of a kind: the conversation grows, and nothing of what was shown before does harm either.
  it('of a model runs no script, leaves no request and does not move the page', async () => {
    const place = await openPage(keeper(hostileTexts.map((text) => ({ text, deltas: 7 }))))
    await watch(place)
    for (const [index, text] of hostileTexts.entries()) {
      await place.ask(`Say ${index}`)
      // The page keeps the last 50 turns.
      const turn = place.page.getByRole('region', { name: `Say ${index}`, exact: true })
      await turn.locator('.cost').waitFor()
      await expectHarmless(place).catch((error) => {
        throw new Error(`${text.slice(0, 200)}: ${error}`)
      })
    }
    await place.page.reload()
    await watch(place)
    await place.page.locator('.turn').first().waitFor()
    await expectHarmless(place)
  })

  it('of questions, names and results of tools is text', async () => {
    let at = 0
    const returns = tool({
      name: 'returns',
      description: 'Returns its text.',
      input: { type: 'object' },
      execute: () => hostileTexts[at++] ?? '',
    })
    const turns = hostileTexts
      .slice(0, 12)
      .flatMap((text) => [{ toolCalls: [{ name: 'returns', input: { text } as JSONValue }] }, 'Done.'])
    const place = await openPage(
      keeper(turns, { functions: [returns], name: 'Agent <img src=x onerror=alert(1)>\u202e', id: 'agent' }),
    )
    await watch(place)
    for (let index = 0; index < turns.length / 2; index++) {
      await place.ask(hostileTexts[index] ?? '')
      const turn = place.page.locator('section.turn').nth(index)
      await turn.locator('.cost').waitFor()
      await turn.getByText(/^Work:/).click()
      await turn.locator('.call > button').click()
    }
    await expectHarmless(place)
  })

  it('of a line of 1 MB is cut until the reader asks for all, and a table of 2,000 rows has its frame', async () => {
    const line = 'x'.repeat(1_000_000)
    const table = `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(2_000)}`
    const place = await openPage(
      keeper([
        { text: line, deltas: 50 },
        { text: table, deltas: 50 },
      ]),
    )
    const { page, ask, settled, button } = place
    await ask('Line')
    await button('Show all (1.0 MB)').waitFor()
    await settled()
    await expectHarmless(place)
    expect((await page.locator('.markdown').first().textContent())?.length).toBeLessThan(110_000)
    await button('Show all (1.0 MB)').click()
    await expect
      .poll(async () => (await page.locator('.markdown').first().textContent())?.length, { timeout: 20_000 })
      .toBe(1_000_000)
    await ask('Table')
    await page.locator('section.turn').nth(1).locator('.cost').waitFor()
    await settled()
    await expectHarmless(place)
  })

  it('of a link to another site opens it only after the reader has seen where it leads', async () => {
    const { page, ask, said, settled } = await openPage(keeper(['See [your bank](https://evil.example/login).']))
    await ask('Link')
    await settled()
    await said('your bank').click()
    const dialog = page.getByRole('dialog', { name: 'Open another site?' })
    await dialog.getByText('https://evil.example/login').waitFor()
    expect(await violations(page)).toEqual([])
    const link = dialog.getByRole('link', { name: 'Open the link' })
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer nofollow',
    ])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    // The middle button of a mouse opens a link in a tab, the right one its menu.
    await said('your bank').click({ button: 'middle' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await said('your bank').click({ button: 'right' })
    expect(await dialog.count()).toBe(0)
    expect(page.context().pages()).toHaveLength(1)
  })
})
