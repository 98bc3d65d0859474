import { execFileSync, spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { cliCommand, plainEnvironment } from './cli-folder.ts'

/** Whether tmux is installed; without it, the tests in a terminal are skipped with a warning. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) console.warn('tmux is not installed: the tests of agentkit chat in a terminal are skipped.')

let count = 0

/** A command of agentkit in a terminal of its own, which ends with the test. */
export class Terminal implements Disposable {
  readonly #socket = `agentkit-test-${process.pid}-${++count}`

  constructor(words: readonly string[], { cwd, columns = 80, env = {} }: { cwd: string; columns?: number; env?: Record<string, string> }) {
    const quoted = [...cliCommand, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    // The end of the command stays readable.
    const shell = `${quoted}; echo "ended with $?"; sleep 1000`
    const place = ['-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '40', '-c', cwd]
    this.#tmux([...place, shell], { ...plainEnvironment(), ...env })
  }

  /** Types keys by the names of tmux: `Enter`, `C-c`. */
  press(...keys: string[]): void {
    this.#tmux(['send-keys', ...keys])
  }

  /** Types a line. */
  type(line: string): void {
    this.#tmux(['send-keys', '-l', line])
    this.press('Enter')
  }

  /** Pastes a text, with the marks of a paste where the command has asked for them. */
  paste(text: string): void {
    execFileSync('tmux', ['-L', this.#socket, 'load-buffer', '-'], { input: text, env: plainEnvironment() })
    this.#tmux(['paste-buffer', '-p'])
  }

  resize(columns: number): void {
    this.#tmux(['resize-window', '-x', String(columns), '-y', '40'])
  }

  /** Continues the command after Ctrl-Z, as `fg` of a shell does. */
  continue(): void {
    const shell = this.#tmux(['list-panes', '-F', '#{pane_pid}']).trim()
    execFileSync('pkill', ['-CONT', '-P', shell])
  }

  /** The text of the screen, including lines that have scrolled out. */
  screen(): string {
    return this.#tmux(['capture-pane', '-p', '-S', '-200']).trimEnd()
  }

  async shows(text: string | RegExp): Promise<string> {
    await expect.poll(() => this.screen(), { timeout: 20_000, interval: 50 }).toMatch(text)
    return this.screen()
  }

  [Symbol.dispose](): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'])
  }

  #tmux(words: readonly string[], env: NodeJS.ProcessEnv = plainEnvironment()): string {
    return execFileSync('tmux', ['-L', this.#socket, ...words], { encoding: 'utf8', env })
  }
}
