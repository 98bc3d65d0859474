import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const english = 'First in English.'
const arabic = 'شكرا لك على السؤال.'
const answer = (first: string, second: string): string =>
  `${first}\n\n${second}\n\n- ${second}\n- x\n\n> ${second}\n\n| ${second} |\n|---|\n| ${first} |\n\n\`\`\`ts\nf(x);\n\`\`\`\n\n${arabic} \`g(x);\``

describeInBrowser('an answer in two languages', () => {
  it.each([
    [english, arabic],
    [arabic, english],
  ])('has each of its blocks in the direction of its own text: %s', async (first, second) => {
    const { page, ask, settled } = await openPage(keeper([{ text: answer(first, second), deltas: 40 }]))
    await ask('Go')
    await settled()
    /** The side of the page on which a text begins. */
    const sideOf = (selector: string): Promise<string> =>
      page
        .locator(`.markdown ${selector}`)
        .first()
        .evaluate((element) => {
          const range = document.createRange()
          range.selectNodeContents(element)
          const text = range.getBoundingClientRect()
          const place = element.closest('td, th, p, li, pre')?.getBoundingClientRect() ?? text
          return Math.abs(text.left - place.left) < Math.abs(text.right - place.right) ? 'left' : 'right'
        })
    const sides = { [english]: 'left', [arabic]: 'right' }
    expect(await sideOf('p')).toBe(sides[first])
    for (const selector of ['p + p, p ~ p', 'li', 'blockquote p', 'th'])
      expect(await sideOf(selector)).toBe(sides[second])
    expect(await sideOf('td')).toBe(sides[first])
    expect(await sideOf('pre code')).toBe('left')
    const directions = await page
      .locator('.markdown :is(pre, code)')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction))
    expect(new Set(directions)).toEqual(new Set(['ltr']))
  })
})
