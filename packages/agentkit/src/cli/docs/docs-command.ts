import { Command } from 'commander'

/** `agentkit docs`: the documentation of the installed version. */
export function docsCommand(): Command {
  const command = new Command('docs')
  command
    .argument('[page...]', 'the name of a page, or the code of an error; without one, all pages are listed')
    .addHelpText('afterAll', examples)
    .action(async (words: string[]) => {
      const { pageNamed, readPages, readPage } = await import('./pages.ts')
      const pages = readPages()
      if (words.length === 0) return list(pages)
      const { showPage } = await import('./show-page.ts')
      await showPage(readPage(pageNamed(words.join(' '), pages)))
    })
  command
    .command('search')
    .description('lists the pages that have all of these words')
    .argument('<words...>', 'the words')
    .action(search)
  return command
}

const examples = `
Examples:
  agentkit docs                        lists the pages
  agentkit docs approvals              shows a page, in $PAGER on a terminal
  agentkit docs budget                 what an error code means
  agentkit docs search idempotency key
  agentkit docs tools | less           as Markdown

Exit codes: 0 found, 1 no page has the words, 2 wrong usage.`

async function list(pages: readonly import('./pages.ts').Page[]): Promise<void> {
  const { print } = await import('../common/print.ts')
  const width = Math.max(...pages.filter(({ about }) => about !== '').map(({ name }) => name.length))
  for (const [group, its] of Map.groupBy(pages, (page) => page.group)) {
    print(group)
    const codes = its.filter(({ about }) => about === '').map(({ title }) => title)
    for (const { name, title, about } of its) if (about !== '') print(`  ${name.padEnd(width)}  ${title}`)
    if (codes.length > 0) print(`  ${codes.join(', ')}`)
  }
}

async function search(words: string[]): Promise<void> {
  const { readPages, searchPages } = await import('./pages.ts')
  const { print, printError } = await import('../common/print.ts')
  const found = searchPages(words, readPages(), mostFound)
  if (found.length === 0) {
    printError(`No page has ${words.join(' and ')}. agentkit docs lists all pages.`)
    process.exitCode = 1
  }
  for (const { page, lines } of found) {
    print(`${page.name}: ${page.title}`)
    for (const line of lines) print(`  ${line}`)
  }
}

/** The pages that a search lists. */
const mostFound = 8
