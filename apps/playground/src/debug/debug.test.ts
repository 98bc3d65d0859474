import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { record, scriptedModel } from '@agentkit/testing'
import { expect, it, onTestFinished } from 'vitest'
import { held, keeper, team } from '../__fixtures__/agents.ts'
import { describeInBrowser, type OpenPage, openPage } from '../__fixtures__/open-page.ts'
import { violations } from '../__fixtures__/violations.ts'

async function choose({ page, button }: OpenPage, name: string, content: string): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button('Open a file').click()])
  await chooser.setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) })
}

describeInBrowser('the debugger', () => {
  it('steps through a run event by event: forth, back, to calls, errors and members', async () => {
    const swarm = team([{ toolCalls: [{ name: 'baker', input: { task: 'bake' } }] }, 'All is done.'], {
      Baker: [{ toolCalls: [{ name: 'look_up' }] }, new Error('down')],
    })
    const { page, ask, said, settled, button } = await openPage(swarm)
    await ask('Bake')
    await said('All is done.').waitFor()
    await settled()
    await button('Debug').click()
    const dialog = page.getByRole('dialog', { name: 'Debugger' })
    const at = async (type: string): Promise<void> => {
      await dialog.locator('p code').first().getByText(type, { exact: true }).waitFor()
    }
    await at('run-start')
    expect(await button('Back').isDisabled()).toBe(true)
    await button('Next').click()
    await at('step-start')
    await button('Back').click()
    await at('run-start')
    await button('Next tool call').click()
    await at('tool-call')
    await dialog.getByRole('group', { name: 'The event' }).getByText('"name": "baker"').waitFor()
    await button('Next member').click()
    await at('agent-start')
    await button('Next error').click()
    await at('agent-end')
    await dialog.getByRole('region', { name: 'The run after it' }).getByText('failed').first().waitFor()
    await button('Last event').click()
    await at('run-end')
    expect(await dialog.getByRole('region', { name: 'The run after it' }).textContent()).toContain('All is done.')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('opens any run of the server, and transcripts and cassettes from files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentkit-cassette-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'a.cassette')
    const model = record(scriptedModel(['Recorded.', new Error('broken')]), file)
    const recorded = new Agent({ name: 'Recorded', functions: [], model, retry: { attempts: 1 } })
    await recorded.chat('First question')
    await recorded.stream('Second question').result

    const place = await openPage(keeper(['One.', 'Two.']))
    const { page, ask, said, settled, button, server } = place
    await ask('First?')
    await said('One.').waitFor()
    await settled()
    await button('Debugger').click()
    const dialog = page.getByRole('dialog', { name: 'Debugger' })
    await dialog.getByRole('button', { name: /^run_.*done$/ }).click()
    await dialog.getByText(/^Event 1 of \d+$/).waitFor()
    await button('Choose another').click()

    const { runs } = (await (await fetch(`${server.url}/api/v1/runs?user_id=default`)).json()) as {
      runs: { run_id: string }[]
    }
    const stream = await (await fetch(`${server.url}/api/v1/runs/${runs[0]?.run_id}/events?user_id=default`)).text()
    const events = [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    await choose(place, 'a.json', JSON.stringify({ version: 1, agent: 'book-keeper', events }))
    await dialog.getByText(`Event 1 of ${events.length}`).waitFor()
    await button('Choose another').click()

    // A run of another client, which keeps no events, is no request that fails.
    const body = JSON.stringify({
      user_id: 'default',
      session_id: 'other',
      messages: [{ role: 'user', content: 'Hi' }],
    })
    await fetch(`${server.url}/api/v1/chat`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await page.keyboard.press('Escape')
    await button('Debugger').click()
    await dialog.getByRole('button', { name: /^run_/ }).first().click()
    await page.getByRole('alert').getByText('This run keeps no events.').waitFor()

    await choose(place, 'a.cassette', readFileSync(file, 'utf8'))
    await dialog.getByText('Call 1: test/scripted').click()
    await dialog.getByRole('group', { name: 'Request' }).getByText('First question').waitFor()
    await dialog.getByRole('group', { name: 'Model events' }).getByText('"type": "finish"').waitFor()
    expect(await violations(page)).toEqual([])
    expect(await dialog.getByText('Call 2: test/scripted').textContent()).toContain('failed')
    await button('Choose another').click()

    for (const [name, content] of [
      ['text.txt', 'nothing'],
      ['other.json', '{"version":2}'],
      ['broken.cassette', '{"agentkit":"cassette","version":1}\n{"call":1}'],
      ['list.json', '{"version":1,"agent":"a","events":[{"type":1}]}'],
      ...[
        { type: 'agent-start' },
        { type: 'agent-end', status: 'done', reason: 7 },
        { type: 'text-delta', text: 7 },
        { type: 'tool-result', callId: 'c', name: 'n', durationMs: 'long' },
        { type: 'step-restart', error: null },
        { type: 'model-fallback', from: 'a', to: 'b', error: {} },
        { type: 'step-end', model: 'a', usage: null },
        { type: 'step-end', model: 'a', usage: {}, cost: { usd: 'much' } },
        { type: 'step-start', step: 1, path: [null] },
      ].map(
        (event) =>
          ['odd.json', JSON.stringify({ version: 1, events: [{ runId: 'r', seq: 1, path: [], ...event }] })] as const,
      ),
    ] as const) {
      await choose(place, name, content)
      await page.getByRole('alert').getByText(`${name} is neither a transcript nor a cassette`).waitFor()
    }
  })

  it('shows the steps so far of a run that continues, and names every state of a run', async () => {
    const second = held('Done.')
    const { page, said, button } = await openPage(keeper([{ toolCalls: [{ name: 'look_up' }] }, second.turn]), {
      context: { locale: 'de-DE' },
    })
    await page.getByRole('textbox', { name: 'Nachricht' }).fill('Go')
    await page.keyboard.press('Enter')
    await second.asked
    await button('Debugger').click()
    const dialog = page.getByRole('dialog', { name: 'Debugger' })
    await dialog.getByRole('button', { name: /^run_.*arbeitet$/ }).click()
    await dialog.getByText(/^Ereignis 1 von \d+$/).waitFor()
    await button('Letztes Ereignis').click()
    await dialog.getByText('look_up').first().waitFor()
    second.release()
    await page.keyboard.press('Escape')
    await said('Done.').waitFor()
    await page.route('**/api/v1/runs?*', (route) =>
      route.fulfill({ json: { runs: [{ run_id: 'run_1', status: 'queued', created_at: '2026-01-01' }], next: null } }),
    )
    await button('Debugger').click()
    await dialog.getByRole('button', { name: /^run_1.*wartet, bis er an der Reihe ist$/ }).waitFor()
  })

  it('reports that it opens one of several dropped files', async () => {
    const { page } = await openPage(keeper([]))
    await page.getByRole('log').waitFor()
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer()
      for (const name of ['a.json', 'b.json']) dataTransfer.items.add(new File(['{}'], name))
      const init = { bubbles: true, cancelable: true, dataTransfer }
      document.querySelector('.drop-zone')?.dispatchEvent(new DragEvent('drop', init))
    })
    await page
      .getByRole('dialog', { name: 'Debugger' })
      .getByRole('alert')
      .getByText('Open one file at a time.')
      .waitFor()
  })

  it('opens a cassette that is dropped on the page', async () => {
    const { page } = await openPage(keeper([]))
    await page.getByRole('log').waitFor()
    const text =
      '{"agentkit":"cassette","version":1}\n{"call":1,"model":"a/b","request":{"messages":[]},"events":[[]],"at":"1"}'
    const drop = (given: string): Promise<void> =>
      page.evaluate((content) => {
        // The event of a dialog that closes comes after the drop.
        document.querySelector('dialog')?.close()
        const transfer = new DataTransfer()
        transfer.items.add(new File([content], 'a.cassette'))
        const zone = document.querySelector('.drop-zone')
        for (const type of ['dragover', 'drop']) {
          zone?.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
        }
      }, given)
    // This agent takes no files.
    await drop('words')
    await page
      .getByRole('alert')
      .getByText('a.cassette is neither a transcript nor a cassette: It is not JSON.')
      .waitFor()
    await drop(text)
    await page.getByRole('dialog', { name: 'Debugger' }).getByText('Call 1: a/b').waitFor()
  })
})
