import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const answer = `1. First\n\n\`\`\`text\ncode\n\`\`\`\n\n2. Second\n3. Third\n\n| left | middle | right |\n|---|:-:|--:|\n| 1 | 2 | 3 |`

describeInBrowser('an answer in Markdown', () => {
  it('has the numbers of its lists and the sides of its columns', async () => {
    const { page, ask, settled } = await openPage(keeper([{ text: answer, deltas: 30 }]))
    await ask('Go')
    await settled()
    const starts = await page
      .locator('.markdown ol')
      .evaluateAll((lists) => lists.map((list) => (list as HTMLOListElement).start))
    expect(starts).toEqual([1, 2])
    for (const cell of ['th', 'td']) {
      const sides = await page
        .locator(`.markdown ${cell}`)
        .evaluateAll((cells) => cells.map((one) => getComputedStyle(one).textAlign.replace('-webkit-', '')))
      expect([cell, ...sides]).toEqual([cell, 'start', 'center', 'right'])
    }
  })
})
