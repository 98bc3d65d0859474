import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { render } from './render.ts'

/** A longer line is hard to read. */
const mostColumns = 100

/** Shows a page: in a pager on a terminal where it is longer than that, as its Markdown in a pipe. */
export async function showPage(markdown: string): Promise<void> {
  const { stdout, env } = process
  if (!stdout.isTTY) {
    stdout.write(markdown)
    return
  }
  const { columns = 80, rows = 24 } = stdout
  const text = render(markdown, { columns: Math.min(columns, mostColumns), hasColors: stdout.hasColors() })
  const pager = env.PAGER ?? (process.platform === 'win32' ? '' : 'less')
  const isLong = text.split('\n').length >= rows
  if (!isLong || pager === '' || pager === 'cat' || !(await page(text, pager))) stdout.write(text)
}

/** @returns false where the pager cannot be started */
async function page(text: string, pager: string): Promise<boolean> {
  // Colours are shown, and the text stays on the screen. A pager may have options, so a shell starts it, as git does.
  const env = { LESS: 'FRX', ...process.env }
  const child = spawn(pager, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
  // The pager may end before the whole page is written.
  child.stdin?.on('error', () => {})
  // Ctrl-C is for the pager.
  const ignore = (): void => {}
  process.on('SIGINT', ignore)
  try {
    child.stdin?.end(text)
    const [code] = await once(child, 'close')
    return code !== 126 && code !== 127
  } catch {
    return false
  } finally {
    process.removeListener('SIGINT', ignore)
  }
}
