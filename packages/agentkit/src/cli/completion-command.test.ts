import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cliFolder } from '../__fixtures__/cli-folder.ts'
import { programWith } from './program.ts'

const { folder, write, agentkit } = cliFolder()
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

for (const shell of ['bash', 'zsh', 'fish']) {
  if (!has(shell)) console.warn(`${shell} is not installed: its completion is not tried.`)
}

describe('agentkit completion', () => {
  it.runIf(has('bash'))('completes commands, options and their values in bash', async () => {
    const { code, out } = await agentkit(['completion', 'bash'])
    expect(code).toBe(0)
    const file = write('completion.bash', out)
    const complete = (...words: string[]): string => {
      const program = `source "$0"; COMP_WORDS=(agentkit "$@"); COMP_CWORD=$#; _agentkit; echo "\${COMPREPLY[*]}"`
      return execFileSync('bash', ['-c', program, file, ...words], { encoding: 'utf8' }).trim()
    }
    expect(complete('doc')).toBe('doctor docs')
    expect(complete('runs', '')).toContain('list show cancel retry schedules')
    expect(complete('runs', 'list', '--st')).toBe('--status')
    expect(complete('runs', 'list', '--status', 'd')).toBe('done')
    expect(complete('init', '--template', '')).toBe('agent swarm files')
    expect(complete('completion', '')).toBe('bash zsh fish')
    expect(complete('init', '--provider', 'm')).toBe('mistral')
    expect(complete('-')).toBe('--version --help')
    // The shell completes files where nothing is offered.
    expect(complete('chat', '')).toBe('')
    expect(complete('index', '--folder', '')).toBe('')
    expect(complete('record', 'a.cassette', '--', '-')).toBe('')
  })

  it.runIf(has('zsh'))('offers in zsh what follows, and files for a value without choices', async () => {
    const file = write('completion.zsh', (await agentkit(['completion', 'zsh'])).out)
    const complete = (...words: string[]): string => {
      const stubs = 'compdef() {}; compadd() { shift; print -r -- $*; }; _files() { print files; }'
      const program = `${stubs}; source "$0"; words=(agentkit "$@"); CURRENT=$#words; _agentkit`
      return execFileSync('zsh', ['-f', '-c', program, file, ...words], { encoding: 'utf8' }).trim()
    }
    expect(complete('runs', 'list', '--status', '')).toBe('queued running waiting done failed')
    expect(complete('runs', 'list', '--sessions', '')).toBe('files')
    expect(complete('runs', '')).toBe('list show cancel retry schedules help\nfiles')
    expect(complete('doctor', '-')).toBe('--json --offline --sessions --help\nfiles')
  })

  it.each(['zsh', 'fish'])('prints a script for %s that the shell reads', async (shell) => {
    const { code, out } = await agentkit(['completion', shell])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('/runs/list') })
    if (has(shell)) execFileSync(shell, ['-n', write(`completion.${shell}`, out)])
  })

  it.runIf(has('fish'))('completes the same in fish', async () => {
    const file = write('completed.fish', (await agentkit(['completion', 'fish'])).out)
    const complete = (line: string): string[] => {
      const program = 'source $argv[1]; complete -C $argv[2]'
      const out = execFileSync('fish', ['--no-config', '-c', program, file, line], { encoding: 'utf8', cwd: folder })
      return out.trim().split('\n')
    }
    expect(complete('agentkit doc')).toEqual(['docs', 'doctor'])
    expect(complete('agentkit runs list --status d')).toEqual(['done'])
    expect(complete('agentkit completion ')).toEqual(['bash', 'fish', 'zsh'])
    expect(complete('agentkit runs list --sessions completed.')).toEqual(['completed.fish'])
  })

  it('refuses another shell with 2', async () => {
    const { code, error } = await agentkit(['completion', 'zhs'])
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('Did you mean "zsh"?') })
  })
})

describe('agentkit --help', () => {
  it('has the examples and the exit codes of each command', async () => {
    const { commands } = await programWith(undefined)
    const all = commands.flatMap((command) => [command, ...command.commands])
    for (const command of all) {
      const help: string[] = []
      command.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp()
      expect(help.join(''), command.name()).toMatch(/\nExamples:\n {2}\S[\s\S]*\bExit codes: /)
    }
  })
})
