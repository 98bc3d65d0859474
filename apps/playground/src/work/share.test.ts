import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { keeper } from '../__fixtures__/agents.ts'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'

const run = promisify(execFile)
const context = { permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true }

describeInBrowser('an answer', () => {
  it('is shared as commands that work, and as files', async () => {
    const question = "What's invoice 17? $(touch x) `y`"
    const place = await openPage(keeper(['One.', 'Two.', 'Three.']), { context })
    const { page, ask, said, settled, button, allowed } = place
    await ask(question)
    await said('One.').waitFor()
    await settled()
    const copied = async (name: string): Promise<string> => {
      await page.getByText('Share', { exact: true }).click()
      await button(name).click()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const curl = await copied('Copy as curl')
    // This process serves the agent, so it must not wait for a command.
    expect((await run('sh', ['-c', `${curl} --silent`])).stdout).toBe('Two.')
    const typescript = await copied('Copy as TypeScript')
    const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', typescript])
    expect(stdout.trim()).toBe('Three.')

    const downloaded = async (name: string): Promise<string> => {
      await page.getByText('Share', { exact: true }).click()
      const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()])
      return readFileSync(await download.path(), 'utf8')
    }
    const transcript = JSON.parse(await downloaded('Download as JSON'))
    expect(transcript).toMatchObject({ version: 1, agent: 'book-keeper' })
    expect(transcript.events.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['run-start', 'text-delta', 'step-end', 'run-end']),
    )
    expect(await downloaded('Download as Markdown')).toBe(`# ${question}\n\nOne.\n`)

    allowed.push(/ERR_FAILED/)
    await page.route('**/events*', (route) => route.abort())
    await page.getByText('Share', { exact: true }).click()
    await button('Download as JSON').click()
    await page.getByRole('status').getByText('The server cannot be reached.').waitFor()
  })
})
