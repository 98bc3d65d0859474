import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { buildPackages, builtEnvironment } from '@agentkit/test-build'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliFile } from '../__fixtures__/cli-folder.ts'

const env = {
  ...builtEnvironment(),
  OPENAI_API_KEY: '',
  LLMPROVIDER_API_KEY: '',
  MISTRAL_API_KEY: '',
  GEMINI_API_KEY: '',
}

let folder: string
beforeAll(buildPackages)
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-index-')))
  write('agentkit-data/files/user/handbook.md', '# Handbook\n\n## Holidays\n\nEverybody has 30 days of holidays.\n')
  write('agentkit-data/files/user/old.doc', 'x')
  write('agentkit-data/files/user/empty.txt', ' ')
  write('agentkit_config.toml', '[docs]\nrequired_exts = [".csv"]\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}

async function agentkit(...words: string[]): Promise<{ code: number; out: string; error: string }> {
  const ran = promisify(execFile)(process.execPath, ['--no-warnings', cliFile, ...words], { cwd: folder, env })
  const { code = 0, stdout, stderr } = await ran.catch((error) => error)
  return { code, out: stdout.trim(), error: stderr.trim() }
}

describe('agentkit index', () => {
  it('updates the index, reports its changes and unreadable files, and checks it', async () => {
    const { code, out } = await agentkit('index', '--verify')
    expect(out).toMatch(/Files: 1 indexed, 0 unchanged, 0 removed; \d passages? .*by words\./)
    expect(out).toContain('old.doc cannot be read (unsupported)')
    expect(out).toContain('The index is valid.')
    expect(code).toBe(0)
    const again = await agentkit('index')
    expect(again.out).toMatch(/No changes: 1 file, \d passages?\./)
  })

  it('lists the indexed files', async () => {
    const { out } = await agentkit('index', 'status')
    expect(out).toMatch(/handbook\.md: \d+ passages?, \d+ characters/)
    expect(out).toMatch(/empty\.txt: not searchable \(no-text: .+\)/)
    expect(out).toContain('2 files, 1 searchable.')
  })

  it('searches, and prints the place of each passage', async () => {
    const { out } = await agentkit('index', 'search', 'days', 'of', 'holidays', '--limit', '1')
    expect(out).toMatch(/^\[1\] handbook\.md, "Handbook > Holidays" \(\d+–\d+\)\n[\s\S]*30 days/)
    expect((await agentkit('index', 'search', 'zebra')).out).toContain('No matches.')
  })

  it('uses an agent’s table, which options override', async () => {
    expect((await agentkit('index', '--agent', 'Docs', 'status')).out).toContain('0 files')
    expect((await agentkit('index', '--agent', 'Docs', '--ext', 'md', '--', 'status')).out).not.toContain('0 files')
  })

  it('uses the table of the only agent with files', async () => {
    write('one.toml', '[docs]\nretrieve = true\nrequired_exts = [".csv"]\n[other]\ntemperature = 0\n')
    write('two.toml', '[docs]\nretrieve = true\nrequired_exts = [".csv"]\n[other]\nretrieve = true\n')
    expect((await agentkit('index', 'status', '--config', 'one.toml')).out).toContain('0 files')
    expect((await agentkit('index', 'status', '--config', 'two.toml')).out).toContain('2 files, 1 searchable.')
  })

  it('says that a folder has no files', async () => {
    mkdirSync(join(folder, 'empty'))
    expect((await agentkit('index', '--folder', 'empty')).out).toBe('There are no files in empty.')
  })

  it('names the places without a folder, and says how to pass a folder that code sets', async () => {
    const hint = 'A folder that is set in code is passed by --folder and --index-path.'
    const elsewhere = ['--config', 'elsewhere.toml']
    write('elsewhere.toml', '[retriever]\nfolder = "else"\nindex_path = "else-index"\n')
    expect((await agentkit('index', ...elsewhere)).out).toBe(`There are no files in else. ${hint}`)
    expect((await agentkit('index', 'status', ...elsewhere)).out).toContain(`\nThe files are those of else. ${hint}`)
    expect((await agentkit('index', 'search', 'days', ...elsewhere)).out).toContain(
      `No matches. To update the index, run: agentkit index\nThe files are those of else. ${hint}`,
    )
    const passed = await agentkit('index', 'status', '--folder', 'empty', '--index-path', 'else-index')
    expect(passed.out).toBe('0 files, 0 searchable. Update the index with: agentkit index')
  })

  it.each(['agent.ts', 'manuals'])('takes no argument such as %s, and says what to pass', async (argument) => {
    const { code, error } = await agentkit('index', argument)
    expect([code, error]).toEqual([2, expect.stringContaining('(Pass the folder of the files by --folder, or set it')])
  })

  it.each([
    [['search', ' '], 'The query is empty.'],
    [['--tool', 'pinecone'], 'basic, localstore'],
    [['search', '--limit', 'many', 'x'], '--limit is a whole number'],
    [['--folder', 'nowhere'], 'There is no folder "nowhere"'],
    [['--folder', 'agentkit_config.toml'], '"agentkit_config.toml" is a file. Pass its folder.'],
    [['--agent', 'Nobody'], 'agentkit_config.toml has no table for the agent "Nobody". There are: [docs].'],
    [['--config', 'none.toml'], 'There is no file "none.toml".'],
  ])('exits with the fix and code 2: %j', async (words, message) => {
    const { code, error } = await agentkit('index', ...words)
    expect(error).toContain(message)
    expect(error).not.toContain(' at ')
    expect(code).toBe(2)
  })
})

describe.runIf(process.platform !== 'win32')('names of files with control characters', () => {
  const files = ['a\u001b[31m.md', 'b\r.md', 'c\u202e.md', 'd\n.md']
  const shown = ['a\\u001b[31m.md', 'b\\u000d.md', 'c\\u202e.md', 'd\\u000a.md']

  it('are escaped by every command', async () => {
    for (const file of files)
      write(`odd/${file}`, `# About \u202eunicorns\n\nUnicorns live in the wood \u202e of ${file}.\n`)
    write('odd/e\u001b]52;c;cm0=\u0007.md', ' ')
    const at = ['--folder', 'odd', '--index-path', 'odd-index']
    const [synced, status, search, missing] = [
      await agentkit('index', ...at, '--verify'),
      await agentkit('index', ...at, 'status', '--verify'),
      await agentkit('index', ...at, 'search', 'unicorns', '--limit', '20'),
      await agentkit('index', '--folder', 'no\u001b[31m'),
    ]
    for (const { out, error } of [synced, status, search, missing]) expect(out + error).not.toMatch(unsafe)
    expect(synced.out).toContain('\ne\\u001b]52;c;cm0=\\u0007.md cannot be read (no-text)')
    expect(synced.out).toContain('The index is valid.')
    for (const file of shown) {
      expect(status.out).toContain(`${file}: `)
      expect(search.out).toContain(`] ${file}, "`)
    }
    expect(search.out).toContain('\n\nUnicorns live') // lines of a quote stay lines
    expect(missing.error).toBe('There is no folder "no\\u001b[31m".')
  })
})

/** Control characters, without our own line ends. */
const unsafe = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

it.runIf(process.platform !== 'win32')(
  'ends agentkit index by Ctrl-C with code 130, and reports what is stored',
  async () => {
    // An embedder that never answers.
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // of TCP
    write(
      'slow.toml',
      `[defaults]\nollama_server_url = "http://127.0.0.1:${port}"\n[retriever]\nindex_path = "slow-index"\n` +
        '[embedding]\nprovider = "ollama"\nmodel = "nomic-embed-text"\n',
    )
    const index = spawn(process.execPath, ['--no-warnings', cliFile, 'index', '--config', 'slow.toml'], {
      cwd: folder,
      env,
    })
    let printed = ''
    index.stderr.on('data', (chunk) => (printed += chunk))
    await once(server, 'request')
    const ended = once(index, 'exit')
    index.kill('SIGINT')
    expect(await ended).toEqual([130, null])
    expect(printed).toContain('Stopped. The finished files are stored')
    server.closeAllConnections()
    server.close()
  },
)

it('warns that agentkit index search has found by words only', async () => {
  let isUp = true
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const embedding = [3, 1, 2]
    const data = [body.input].flat().map((_, index) => ({ object: 'embedding', index, embedding }))
    response.writeHead(isUp ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isUp ? { object: 'list', data } : { error: { message: 'No such model' } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // of TCP
  write(
    'local.toml',
    `[providers.local]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:${port}/v1"\nembeddings = true\n` +
      '[retriever]\nindex_path = "local-index"\n[embedding]\nprovider = "local"\nmodel = "e"\n',
  )
  expect((await agentkit('index', '--config', 'local.toml')).out).toContain('by words and meaning')
  isUp = false
  const { code, out, error } = await agentkit('index', 'search', 'holidays', '--config', 'local.toml')
  expect(out).toContain('[1] handbook.md')
  expect(error).toContain('Searched by words only, because the search by meaning failed: ')
  expect(code).toBe(0)
  server.close()
})

describe('agentkit dev', () => {
  it('runs an app that notices changes of its files', async () => {
    write(
      'app.ts',
      `import { Agent } from 'agentkit'
       const agent = new Agent({ name: 'Watcher', functions: [], model: 'offline/extractive', retrieve: true })
       await agent.run({ port: 0 })
       console.log('running')
       setInterval(async () => console.log((await agent.knowledge.files()).join()), 100).unref()`,
    )
    write('package.json', '{ "type": "module" }')
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/agentkit'))
    const dev = spawn(process.execPath, ['--no-warnings', cliFile, 'dev', 'app.ts'], { cwd: folder, env })
    let printed = ''
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (chunk) => (printed += chunk))
    const says = async (words: string): Promise<void> => {
      while (!printed.includes(words)) {
        if (dev.exitCode !== null) throw new Error(printed)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    await says('handbook.md')
    write('agentkit-data/files/user/new.md', 'Something new.\n')
    await says('handbook.md,new.md')
    const ended = once(dev, 'exit')
    dev.kill('SIGTERM')
    await ended
  })
})
