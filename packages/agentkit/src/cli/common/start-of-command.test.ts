import { describe, expect, it } from 'vitest'
import { startOfCommand } from './start-of-command.ts'

describe('a command on Windows', () => {
  it('is Node itself without a shell, which would read "C:\\Program" as the program', () => {
    const [program = '', ...words] = ['C:\\Program Files\\nodejs\\node.exe', '--watch', 'C:\\my app\\cli.js', 'a & b']
    expect(startOfCommand([program, ...words], 'win32')).toEqual({ program, words, shell: false })
  })

  it.each([
    [['npm', 'install'], 'npm install'],
    [['npm', 'run', 'eval', '--', 'two words'], 'npm run eval -- "two words"'],
    [['C:\\my app\\run.cmd', 'C:\\a b\\'], '"C:\\my app\\run.cmd" "C:\\a b\\\\"'],
    [['npx', 'tsx', 'a&b', ''], 'npx tsx "a&b" ""'],
    [['npx', 'say', 'a "b" \\"c'], 'npx say "a ""b"" \\\\""c"'],
  ])('is a line for the shell: %j', (command, line) => {
    expect(startOfCommand(command, 'win32')).toEqual({ program: line, words: [], shell: true })
  })

  it('is quoted in a time that grows with its length', () => {
    const word = `${'\\'.repeat(1_000_000)} `
    expect(startOfCommand(['npm', word], 'win32').program).toHaveLength(word.length + 6)
  })
})

it('is passed on as it is elsewhere', () => {
  expect(startOfCommand(['npm', 'a b'], 'linux')).toEqual({ program: 'npm', words: ['a b'], shell: false })
})
