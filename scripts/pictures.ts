// Draws the pictures of the documentation: `npm run pictures`. The page needs Chromium, the terminal tmux. Scripted
// models give the answers; everything else is real.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { terminalPicture } from './terminal-picture.ts'
import { root } from './workspace-files.ts'

const agent = `import { scriptedModel } from '@agentkit/testing'
import { Agent, tool } from 'agentkit'

const findOrder = tool({ name: 'find_order', description: 'Finds an order.', input: { type: 'object' }, execute: () => ({ euros: 80, sent: '2026-11-12' }) })
const refund = tool({ name: 'refund', description: 'Pays money back.', input: { type: 'object' }, needsApproval: true, execute: () => '80 euros are on their way.' })
const model = scriptedModel([
  { toolCalls: [{ name: 'find_order', input: { order: 'A7' } }] },
  { text: 'I am sorry that it arrived broken.', toolCalls: [{ name: 'refund', input: { order: 'A7', euros: 80 } }] },
  'Your 80 euros for order A7 are on their way, within three days.',
])
export const agent = new Agent({ name: 'Support', functions: [findOrder, refund], model, sessions: ':memory:' })
`
const socket = `agentkit-pictures-${process.pid}`
const folder = mkdtempSync(join(tmpdir(), 'agentkit-pictures-'))

try {
  writeFileSync(join(folder, 'agent.ts'), agent)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(root, 'docs/examples/node_modules'), join(folder, 'node_modules'), 'junction')
  const cli = join(root, 'packages/agentkit/src/cli.ts')
  const command = `clear; echo '$ npx agentkit chat'; '${process.execPath}' --conditions=@agentkit/source '${cli}' chat; sleep 60`
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '84', '-y', '26', '-c', folder, command)
  await shows(/›$/m)
  type('Order A7 came broken. I want my money back.')
  await shows(/refund[\s\S]*\?/)
  type('y')
  await shows(/three days[\s\S]*›$/m)
  const screen = tmux('capture-pane', '-p', '-e')
  const place = join(root, 'docs/pictures')
  mkdirSync(place, { recursive: true })
  writeFileSync(
    join(place, 'terminal.svg'),
    terminalPicture(screen, 'agentkit chat: an agent asks before it pays money back'),
  )
} finally {
  spawnSync('tmux', ['-L', socket, 'kill-server'])
  rmSync(folder, { recursive: true, force: true })
}
if (!process.argv.includes('--terminal')) await import('../apps/playground/screenshots.ts')

function tmux(...words: string[]): string {
  const env = { ...process.env, XDG_STATE_HOME: folder, NODE_OPTIONS: '' }
  return execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8', env })
}

function type(line: string): void {
  tmux('send-keys', '-l', line)
  tmux('send-keys', 'Enter')
}

async function shows(text: RegExp): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (text.test(tmux('capture-pane', '-p').trimEnd())) return
    await sleep(100)
  }
  throw new Error(`The terminal does not show ${text}:\n${tmux('capture-pane', '-p')}`)
}
