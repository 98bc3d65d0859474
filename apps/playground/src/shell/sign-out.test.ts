import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

describeInBrowser('who signs out', () => {
  it('leaves neither a message, a search nor the names of files to the next user of the tab', async () => {
    const auth = { tokens: { 'the-token-of-ada-1': 'ada', 'the-token-of-bob-1': 'bob' } }
    const { page, message, button } = await openPage(keeper([]), { auth })
    await page.route('**/api/v1/info', async (route) => {
      const response = await route.fetch()
      const info = (await response.json()) as { accepts: object; caller: object }
      const accepts = { ...info.accepts, files: ['.md'] }
      return route.fulfill({ response, json: { ...info, accepts, caller: { ...info.caller, upload: true } } })
    })
    await page.route('**/api/v1/files*', (route) => route.fulfill({ json: { files: [], details: [] } }))
    const signIn = async (token: string): Promise<void> => {
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await message.waitFor()
    }
    await signIn('the-token-of-ada-1')
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add files').click()])
    await chooser.setFiles([{ name: 'diary.exe', mimeType: 'x/y', buffer: Buffer.from('x') }])
    await page.getByText('not accepted here: diary.exe').waitFor()
    await page.getByRole('searchbox').fill('holidays')
    await message.fill('Dear diary')
    await button('Sign out').click()
    await signIn('the-token-of-bob-1')
    expect([await message.inputValue(), await page.getByRole('searchbox').inputValue()]).toEqual(['', ''])
    expect(await page.textContent('body')).not.toContain('diary')
  })
})
