// Counts the source lines of packages, without comments and blank lines: `node scripts/count-lines.ts [package…]`.
import { parseSync } from 'vite'
import { codeFiles, isTest, readText } from './workspace-files.ts'

const packages = process.argv.slice(2)
if (packages.length === 0) packages.push('core', 'agentkit', 'wire', 'providers-offline')

let total = 0
for (const name of packages) {
  const files = codeFiles().filter((path) => path.startsWith(`packages/${name}/src/`) && !isTest(path))
  const lines = files.reduce((sum, path) => sum + countLines(path), 0)
  console.log(`${name}: ${lines} lines in ${files.length} files`)
  total += lines
}
console.log(`total: ${total}`)

function countLines(path: string): number {
  const text = readText(path)
  let code = text
  for (const { start, end } of parseSync(path, text).comments) {
    const blank = text.slice(start, end).replace(/[^\n]/g, ' ')
    code = code.slice(0, start) + blank + code.slice(end)
  }
  return code.split('\n').filter((line) => line.trim() !== '').length
}
