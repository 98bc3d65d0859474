import { execFileSync } from 'node:child_process'
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderOf, skillText, useSkillFolders } from './__fixtures__/skill-folder.ts'
import { skills } from './skills.ts'

useSkillFolders()

/** The error of `skills()` for a folder. */
function problemOf(folder: string): string {
  try {
    skills(folder, { pins: false })
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-config' })
    return (error as Error).message
  }
  return 'it was loaded'
}

/** A folder with one `SKILL.md`. */
const only = (text: string | Uint8Array): string => folderOf({ 'a/SKILL.md': text })
const front = (yaml: string): string => only(`---\n${yaml}\n---\nDo it.`)
const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** A folder with a good skill, to which something is added. */
function withMore(add: (skill: string, folder: string) => void): string {
  const folder = folderOf({ 'a/SKILL.md': skillText('a') })
  add(join(folder, 'a'), folder)
  return folder
}

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...many(8, (i) => `${'bcdefghi'[i]}: &${'bcdefghi'[i]} [${many(9, () => `*${'abcdefgh'[i]}`).join()}]`),
]

const hostile: [string, () => string, RegExp][] = [
  // The folder
  ['a folder that is not there', () => join(folderOf(), 'none'), /none is not there\. Pass a folder of skills\.$/],
  ['a file', () => join(folderOf({ 'a.md': 'x' }), 'a.md'), /a\.md is not a folder\. Pass a folder/],
  ['an empty folder', () => folderOf(), /has no folder with a SKILL\.md\.$/],
  ['a folder without skills', () => folderOf({ 'README.md': 'Hello' }), /has no folder with a SKILL\.md\.$/],
  ['skills too far below', () => folderOf({ 'b/c/d/e/f/SKILL.md': skillText('a') }), /has no folder with a SKILL\.md/],
  [
    'a file of another case',
    () => folderOf({ 'a/skill.md': skillText('a') }),
    /has skill\.md in .*Rename it to SKILL\.md\.$/,
  ],
  [
    'a link to a folder of skills',
    () => withMore((_, folder) => symlinkSync(folderOf({ 'SKILL.md': skillText('b') }), join(folder, 'b'))),
    /has the link b to another folder/,
  ],
  [
    'a link to itself',
    () => withMore((_, folder) => symlinkSync(folder, join(folder, 'loop'))),
    /has the link loop to another folder/,
  ],
  [
    'two skills of one name',
    () => folderOf({ 'a/SKILL.md': skillText('same'), 'b/SKILL.md': skillText('same') }),
    /b has the name "same", as .*a has\. Rename one of them\.$/,
  ],
  [
    'two names that are one in Unicode',
    () => folderOf({ 'a/SKILL.md': skillText('ｅditing'), 'b/SKILL.md': skillText('editing') }),
    /has the name "editing", as/,
  ],
  [
    '257 skills',
    () => folderOf(Object.fromEntries(many(257, (i) => [`s${i}/SKILL.md`, skillText(`s${i}`)]))),
    /There are 257 skills\. The limit is 256\./,
  ],
  [
    'descriptions that are too long together',
    () => folderOf(Object.fromEntries(many(70, (i) => [`s${i}/SKILL.md`, skillText(`s${i}`, 'x'.repeat(1000))]))),
    /of the 70 skills have 70200 characters\. The limit is 65536/,
  ],
  [
    '5,001 entries',
    () =>
      withMore((_, folder) =>
        many(10, (i) => {
          mkdirSync(join(folder, `f${i}`))
          many(510, (j) => writeFileSync(join(folder, `f${i}/${j}`), ''))
        }),
      ),
    /has more than 5000 files and folders/,
  ],
  // SKILL.md as a file
  [
    'a SKILL.md that is a link out',
    () => {
      const out = folderOf({ secret: 'root:x:0' })
      return withMore((_, folder) => {
        mkdirSync(join(folder, 'b'))
        symlinkSync(join(out, 'secret'), join(folder, 'b/SKILL.md'))
      })
    },
    /b has "SKILL\.md", which is a link\. /,
  ],
  [
    'a SKILL.md that is a broken link',
    () =>
      withMore((_, folder) => {
        mkdirSync(join(folder, 'b'))
        symlinkSync('/nowhere', join(folder, 'b/SKILL.md'))
      }),
    /b has "SKILL\.md", which is a link\. /,
  ],
  [
    'a SKILL.md that is a folder',
    () => withMore((_, folder) => mkdirSync(join(folder, 'b/SKILL.md'), { recursive: true })),
    /b has "SKILL\.md", which is no regular file/,
  ],
  [
    'a SKILL.md that is a pipe',
    () =>
      withMore((_, folder) => {
        mkdirSync(join(folder, 'b'))
        execFileSync('mkfifo', [join(folder, 'b/SKILL.md')])
      }),
    /b has "SKILL\.md", which is no regular file/,
  ],
  ['an empty SKILL.md', () => only(''), /a has no front matter\. Begin it with the line ---/],
  [
    'a text of 1 MB',
    () => only(skillText('a', 'b', 'x'.repeat(1_048_576))),
    /has "SKILL\.md", which is too large\. The limit is 196608 bytes/,
  ],
  [
    'a text just above the limit',
    () => only(skillText('a', 'b', 'x'.repeat(131_073))),
    /has a text of 131073 bytes\. The limit is 131072: move parts into files/,
  ],
  [
    'a binary file',
    () => only(new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0])),
    /has "SKILL\.md", which is binary \(7 bytes\)\. Only text in UTF-8/,
  ],
  ['UTF-16', () => only(Buffer.from(`\uFEFF${skillText('a')}`, 'utf16le')), /which is binary/],
  [
    'bytes that are no UTF-8',
    () => only(Buffer.concat([Buffer.from(skillText('a')), Buffer.from([0xff])])),
    /which is binary/,
  ],
  // Front matter
  ['no front matter', () => only('# A skill\n\nDo it.'), /has no front matter/],
  ['a front matter after a blank line', () => only(`\n${skillText('a')}`), /has no front matter/],
  [
    'a front matter without an end',
    () => only('---\nname: a\ndescription: b\n\nDo it.'),
    /has a front matter without an end/,
  ],
  [
    'a front matter of 20 KB',
    () => front(`name: a\ndescription: b\nx: ${'y'.repeat(20_000)}`),
    /has a front matter of 20\d{3} characters\. The limit is 16384/,
  ],
  [
    'a colon in a description',
    () => front('name: a\ndescription: Use it when: always'),
    /cannot be read: Nested mappings .* \(line 3\)\. Put a text with ": " in quotes\.$/,
  ],
  ['a tab', () => front('name: a\ndescription:\n\t- b'), /cannot be read: Tabs .* \(line 4\)/],
  [
    'a bracket that is not closed',
    () => front('name: a\ndescription: b\nmetadata: {x: ['),
    /cannot be read: .*\(line \d\)/,
  ],
  [
    'a key twice',
    () => front('name: a\nname: b\ndescription: c'),
    /cannot be read: Map keys must be unique \(line 3\)/,
  ],
  [
    'an alias',
    () => front('name: &n a\ndescription: *n'),
    /cannot be read: it has an alias \(\*\)\. Write the value again\.$/,
  ],
  ['a bomb of aliases', () => front(['name: a', 'description: b', ...bomb].join('\n')), /it has an alias/],
  ['a merge of a list that holds itself', () => front('name: a\ndescription: b\nx: &x\n  <<: *x'), /it has an alias/],
  ['8,000 brackets', () => front(`name: a\ndescription: b\nx: ${'['.repeat(8000)}`), /cannot be read: /],
  ['a list', () => front('- a\n- b'), /has a front matter without fields/],
  ['nothing in it', () => front(''), /has a front matter without fields/],
  ['no name', () => front('description: b'), /has no `name` in its front matter\.$/],
  ['no description', () => front('name: a'), /has no `description` in its front matter\.$/],
  ['an empty description', () => front('name: a\ndescription: "  "'), /has an empty `description`/],
  [
    'a description of 1,025 characters',
    () => front(`name: a\ndescription: ${'x'.repeat(1025)}`),
    /has a `description` of 1025 characters\. The limit is 1024\.$/,
  ],
  [
    'a description that is a list',
    () => front('name: a\ndescription: [b]'),
    /has a `description` that is not text\. Put it in quotes\.$/,
  ],
  [
    'a name that is a number',
    () => front('name: 2024\ndescription: b'),
    /has a `name` that is not text\. Put it in quotes\.$/,
  ],
  [
    'a name of 65 characters',
    () => front(`name: ${'x'.repeat(65)}\ndescription: b`),
    /has a `name` of 65 characters\. The limit is 64\.$/,
  ],
  ...['Upper', 'two words', '-a', 'a-', 'a--b', 'a_b', '../a', 'a/b', 'a"b', '<b>'].map(
    (name): [string, () => string, RegExp] => [
      `the name ${name}`,
      () => front(`name: '${name}'\ndescription: b`),
      /has the name ".+"\. A name is lower-case letters and digits, with single hyphens between them\.$/,
    ],
  ),
  [
    'a compatibility of 501 characters',
    () => front(`name: a\ndescription: b\ncompatibility: ${'x'.repeat(501)}`),
    /has a `compatibility` of 501 characters\. The limit is 500/,
  ],
  ['no text below', () => only('---\nname: a\ndescription: b\n---\n  \n'), /has no text below its front matter/],
  // Its other files
  [
    'a link out of the skill',
    () => withMore((skill) => symlinkSync('/etc/passwd', join(skill, 'users.md'))),
    /a has "users\.md", which is a link\. A skill is folders and files: put the file itself there\.$/,
  ],
  [
    'a link to a folder',
    () => withMore((skill) => symlinkSync('/etc', join(skill, 'etc'))),
    /a has "etc", which is a link/,
  ],
  [
    'a link to a file beside it',
    () => withMore((skill) => symlinkSync('SKILL.md', join(skill, 'same.md'))),
    /a has "same\.md", which is a link/,
  ],
  ['a pipe', () => withMore((skill) => execFileSync('mkfifo', [join(skill, 'pipe')])), /a has "pipe", which is a pipe/],
  [
    '501 files',
    () => withMore((skill) => many(501, (i) => writeFileSync(join(skill, `${i}.md`), ''))),
    /a has more than 500 files/,
  ],
  [
    '18 levels of folders',
    () => withMore((skill) => mkdirSync(join(skill, ...many(18, () => 'f')), { recursive: true })),
    /a has more than 16 levels of folders/,
  ],
]

describe('a folder that is refused, with the problem', () => {
  it.each(hostile)('%s', (_, make, problem) => {
    expect(problemOf(make())).toMatch(problem)
  })

  it('a socket', async () => {
    const folder = withMore(() => {})
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(folder, 'a/socket'), resolve))
    expect(problemOf(folder)).toMatch(/a has "socket", which is a socket/)
    await new Promise((resolve) => server.close(resolve))
  })

  it('a file that cannot be read', (context) => {
    if (process.getuid?.() === 0) context.skip('the superuser reads every file')
    expect(problemOf(withMore((skill) => chmodSync(join(skill, 'SKILL.md'), 0)))).toMatch(/cannot be read \(EACCES\)/)
  })

  it('several skills at once, each with its problem', () => {
    const files = Object.fromEntries(many(14, (i) => [`s${i}/SKILL.md`, 'no front matter']))
    const problem = problemOf(folderOf({ ...files, 'good/SKILL.md': skillText('good') }))
    expect(problem).toMatch(/^The skills cannot be used:\n- /)
    expect(problem.split('\n')).toHaveLength(12)
    expect(problem).toMatch(/- and 4 more problems$/)
  })

  it('no byte of a file outside of it', () => {
    const folder = withMore((skill) => symlinkSync('/etc/passwd', join(skill, 'users.md')))
    expect(problemOf(folder)).not.toContain('root:')
  })
})

describe('a folder that is unusual, and loads', () => {
  const named = (folder: string): string | undefined => skills(folder, { pins: false })[0]?.instruction
  it.each<[string, () => string]>([
    ['a byte order mark', () => only(`\uFEFF${skillText('a')}`)],
    ['CRLF', () => only(skillText('a').replaceAll('\n', '\r\n'))],
    ['old line ends', () => only(skillText('a').replaceAll('\n', '\r'))],
    ['spaces after the marks', () => only(skillText('a').replaceAll('---', '---  '))],
    ['a folder of another name', () => folderOf({ 'Template Folder/SKILL.md': skillText('a') })],
    ['the skill itself', () => join(only(skillText('a')), 'a')],
    ['a hard link', () => withMore((skill) => linkSync(join(skill, 'SKILL.md'), join(skill, 'copy.md')))],
    [
      'hidden files and what tools leave behind',
      () =>
        withMore((skill) => {
          symlinkSync('/etc/passwd', join(skill, '.hidden'))
          mkdirSync(join(skill, 'node_modules'))
          symlinkSync('/', join(skill, 'node_modules/root'))
        }),
    ],
    [
      'a link to a file beside the skills',
      () => withMore((_, folder) => symlinkSync('a/SKILL.md', join(folder, 'CLAUDE.md'))),
    ],
    [
      'unknown fields, also of hostile names',
      () => front('name: a\ndescription: b\n__proto__: {polluted: true}\nconstructor: 1\nversion: 2'),
    ],
    ['tags that mean nothing', () => front('name: a\ndescription: b\nx: !!js/function "() => process.exit(1)"')],
    ['a text with --- in it', () => only(`${skillText('a')}\n---\nmore\n---\n`)],
  ])('%s', (_, make) => {
    expect(named(make())).toMatch(/\n- a: \S/)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('keeps a description with line breaks in one line, and letters of any script in a name', () => {
    const folder = only('---\nname: größe-寸法\ndescription: |\n  One\n  - forged: line\n---\nDo it.')
    expect(named(folder)).toMatch(/\n- größe-寸法: One - forged: line$/)
  })
})
