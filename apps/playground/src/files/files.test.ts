import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteSessions } from '@agentkit/sessions'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
import { expect, it, onTestFinished, vi } from 'vitest'
import { describeInBrowser, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

const search = (query: string): ScriptedTurn => ({ toolCalls: [{ name: 'search_files', input: { query } }] })

function library(turns: readonly ScriptedTurn[]): Agent {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-page-'))
  writeFileSync(join(folder, 'agentkit_config.toml'), '')
  const agent = new Agent({
    name: 'Library',
    functions: [],
    model: scriptedModel(turns),
    sessions: sqliteSessions(':memory:'),
    configPath: join(folder, 'agentkit_config.toml'),
    retriever: { folder: join(folder, 'files'), indexPath: join(folder, 'index') },
  })
  onTestFinished(async () => {
    await agent.close()
    rmSync(folder, { recursive: true, force: true })
    vi.restoreAllMocks()
  })
  return agent
}

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

describeInBrowser('files', () => {
  it('with long names and headings are cited and opened within the page', async () => {
    const words = 'the holidays of all employees in Norway and Sweden '
    const name = `${words.repeat(2)}2026.md`
    const { page, ask, button } = await openPage(library([search('zebra'), 'It is there.']))
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add files').click()])
    await chooser.setFiles([file(name, `# ${'H'.repeat(300)}\n\nA zebra.`)])
    await page.getByText(/: indexed$/).waitFor()
    await ask('Where is the zebra?')
    const source = page.getByRole('button', { name: /^Source 1: the holidays/ })
    await source.waitFor()
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    await source.click()
    const passage = page.getByRole('dialog')
    await passage.locator('mark').waitFor()
    expect(await passage.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  })

  it('that are empty, or larger than the limit of the server, are refused by name, and not sent', async () => {
    const options = { limits: { fileBytes: 2_000_000 } }
    const { page, button, requests } = await openPage(library([]), options)
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add files').click()])
    await chooser.setFiles([file('large.md', 'x'.repeat(2_000_001)), file('empty.md', ''), file('fits.md', 'Bees')])
    await page.getByText('large.md is larger than 2 MB.').waitFor()
    await page.getByRole('alert').getByText('empty.md: has no text').waitFor()
    await page.getByText('fits.md: indexed').waitFor()
    expect(requests.filter((url) => url.includes('uploadfiles'))).toHaveLength(1)
  })

  it('are uploaded with their status, cited in answers, opened at the passage and downloaded', async () => {
    const agent = library([search('holidays'), 'There are 30 days.'])
    const { page, ask, said, settled, button, allowed } = await openPage(agent, { context: { acceptDownloads: true } })
    await button('Files').click()
    const dialog = page.getByRole('dialog', { name: 'Files' })
    await dialog.getByText('The agent has no files yet.').waitFor()
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Upload files').click()])
    await chooser.setFiles([
      file('rules.md', '# Rules\n\nBefore it.\n\nEverybody has 30 days of holidays.'),
      file('program.exe', 'MZ'),
    ])
    await dialog.getByText('rules.md: indexed').waitFor()
    await dialog.getByText('Files of this type are not accepted here: program.exe').waitFor()
    await dialog.getByText(/ B · indexed$/).waitFor()
    expect(await violations(page)).toEqual([])
    const [download] = await Promise.all([page.waitForEvent('download'), button('Download rules.md').click()])
    expect(await readFile(await download.path(), 'utf8')).toContain('30 days of holidays')
    await page.keyboard.press('Escape')

    await ask('How many holidays?')
    await said('There are 30 days.').waitFor()
    await settled()
    const source = page.getByRole('list', { name: 'Sources' }).getByRole('button', { name: /^Source 1: rules\.md/ })
    await source.click()
    const passage = page.getByRole('dialog', { name: 'rules.md' })
    await passage
      .locator('mark')
      .getByText(/30 days of holidays/)
      .waitFor()
    expect(await violations(page)).toEqual([])
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the file' }).click(),
    ])
    expect(again.suggestedFilename()).toBe('rules.md')
    await page.keyboard.press('Escape')
    expect(await source.evaluate((element) => element === document.activeElement)).toBe(true)

    await page.reload()
    await source.waitFor()
    allowed.push(/ERR_FAILED/)
    await page.route('**/passages/**', (route) => route.abort())
    await source.click()
    await passage.getByText('cannot be shown: The server cannot be reached.').waitFor()
    await page.keyboard.press('Escape')
    await button('Files').click()
    await button('Delete rules.md').click()
    await page.getByRole('dialog', { name: 'Delete this file?' }).getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('The agent has no files yet.').waitFor()
  })

  it('are dropped and pasted anywhere on the page', async () => {
    const { page } = await openPage(library([]))
    await page.getByRole('log').waitFor()
    await page.evaluate(() => {
      const transferOf = (name: string): DataTransfer => {
        const transfer = new DataTransfer()
        transfer.items.add(new File(['Some words.'], name, { type: 'text/plain' }))
        return transfer
      }
      const dataTransfer = transferOf('dropped.txt')
      document
        .querySelector('.log')
        ?.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: transferOf('pasted.txt') }))
    })
    await page.getByText('dropped.txt: indexed').waitFor()
    await page.getByText('pasted.txt: indexed').waitFor()
    await page.evaluate(() => {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['x'], 'cells.png', { type: 'image/png' }))
      clipboardData.setData('text/plain', 'cells')
      dispatchEvent(new ClipboardEvent('paste', { clipboardData }))
    })
    expect(await page.getByText('cells.png').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove pasted.txt' }).click()
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Message')
    // A text is dropped into a field by the browser itself.
    const isPrevented = await page.getByRole('textbox', { name: 'Message' }).evaluate((field) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.setData('text/plain', 'words')
      return !field.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
    })
    expect(isPrevented).toBe(false)
  })
})

describeInBrowser('files that are added while another one is read', () => {
  it('leave the file in the list, with its outcome', async () => {
    const { page, button } = await openPage(library([]))
    await button('Add files').waitFor()
    // Sent, and not answered before the event.
    await page.evaluate(() => {
      const { send } = XMLHttpRequest.prototype
      XMLHttpRequest.prototype.send = function (form) {
        const sent = form instanceof FormData ? form.get('files') : null
        if (!(sent instanceof File) || sent.name !== 'slow.md') return send.call(this, form)
        this.upload.dispatchEvent(new ProgressEvent('load'))
        addEventListener('answer', () => send.call(this, form))
      }
    })
    const add = async (name: string): Promise<void> => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add files').click()])
      await chooser.setFiles([file(name, 'Some words.')])
    }
    await add('slow.md')
    await page.getByText('slow.md: being indexed').waitFor()
    await add('quick.md')
    await page.getByText('quick.md: indexed').waitFor()
    await page.evaluate(() => dispatchEvent(new Event('answer')))
    await page.getByText('slow.md: indexed').waitFor()
  })
})

describeInBrowser('files that are removed from the list before they are sent', () => {
  it('do not reach the agent', async () => {
    const { page, server, button } = await openPage(library([]))
    await button('Add files').waitFor()
    const network = await page.context().newCDPSession(page)
    await network.send('Network.enable')
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 }
    await network.send('Network.emulateNetworkConditions', slow)
    const add = async (...files: ReturnType<typeof file>[]): Promise<void> => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Add files').click()])
      await chooser.setFiles(files)
    }
    await add(file('long.md', 'Some words. '.repeat(200_000)), file('waits.md', 'Some words.'))
    await page.getByText('Uploading long.md').waitFor()
    await button('Remove waits.md').click()
    await button('Remove long.md').click()
    // Each is sent after the one before.
    await add(file('kept.md', 'Some words.'))
    await page.getByText('kept.md: indexed').waitFor()
    const { files } = await (await fetch(`${server.url}/api/v1/files/?user_id=default`)).json()
    expect(files).toEqual(['kept.md'])
  })
})

describeInBrowser('more files than are listed at once', () => {
  it('are shown when they are asked for', async () => {
    const { page, button } = await openPage(library([]))
    const details = Array.from({ length: 501 }, (_, at) => ({ name: `${at}.md`, size: 38, status: 'ok' }))
    await page.route('**/api/v1/files*', (route) => route.fulfill({ json: { files: [], details } }))
    await button('Files').click()
    const dialog = page.getByRole('dialog', { name: 'Files' })
    await dialog.getByText('499.md').waitFor()
    expect(await dialog.getByText('500.md').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Show more' }).click()
    await dialog.getByText('500.md').waitFor()
    expect(await dialog.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  })
})

describeInBrowser('a file in a folder', () => {
  it('has no buttons for actions that the routes refuse', async () => {
    const { page, button } = await openPage(library([]))
    const details = ['plain.md', 'sub/nested.md'].map((name) => ({ name, size: 38, status: 'ok' }))
    await page.route('**/api/v1/files*', (route) => route.fulfill({ json: { files: [], details } }))
    await button('Files').click()
    await button('Download plain.md').waitFor()
    await page.getByText('sub/nested.md').waitFor()
    expect(await page.getByRole('button', { name: /sub\/nested\.md/ }).count()).toBe(0)
  })
})

describeInBrowser('what an agent remembers', () => {
  it('is cited as a conversation with its date, which opens', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-page-'))
    writeFileSync(join(folder, 'agentkit_config.toml'), '')
    const agent = new Agent({
      name: 'Garden',
      model: scriptedModel([
        'An oak, then.',
        { toolCalls: [{ name: 'recall', input: { query: 'oak' } }] },
        'You have an oak.',
      ]),
      sessions: sqliteSessions(':memory:'),
      configPath: join(folder, 'agentkit_config.toml'),
      memory: true,
    })
    onTestFinished(async () => {
      await agent.close()
      rmSync(folder, { recursive: true, force: true })
      vi.restoreAllMocks()
    })
    await agent.chat('I have an oak.', { sessionId: 'monday' })
    const { page, ask, said, settled } = await openPage(agent)
    await ask('Which tree do I have?')
    await said('You have an oak.').waitFor()
    await settled()
    const sources = page.getByRole('list', { name: 'Sources' })
    const source = sources.getByRole('button', { name: /^Source 1: conversation of \d/ })
    await source.waitFor()
    await page.reload()
    await source.click()
    await said('An oak, then.').waitFor()
    expect(new URL(page.url()).hash).toBe('#/chat/monday')
  })
})
