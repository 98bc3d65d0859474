import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryProject } from './__fixtures__/temporary-project.ts'
import { posixRelative } from './posix-path.ts'
import { selectFiles } from './select-files.ts'

const project = temporaryProject(
  Object.fromEntries(
    [
      'src/chain.ts',
      'src/chain.test.ts',
      'src/chain.spec.mts',
      'src/types.d.ts',
      'src/types.d.mts',
      'src/notes.md',
      'src/agentkit-tools.ts',
      'src/deep/math.mts',
      'src/deep/view.tsx',
      'src/deep/built.ts',
      'src/deep/built.js',
      'src/deep/viewed.tsx',
      'src/deep/viewed.js',
      'src/deep/plain.js',
      'src/deep/common.cjs',
      'src/deep/__fixtures__/fixture.ts',
      'src/deep/.hidden/hidden.ts',
      'src/deep/.hidden.ts',
      'src/deep/node_modules/some/index.ts',
      'app/[id]/route.ts',
      'app/(group)/tool.ts',
    ].map((file) => [file, '']),
  ),
)
afterAll(() => project[Symbol.dispose]())

function select(...patterns: string[]): { files: string[]; folder: string } {
  const { files, folder } = selectFiles(patterns, project.folder)
  return {
    files: files.map((file) => posixRelative(project.folder, file)),
    folder: posixRelative(project.folder, folder),
  }
}

const allOfSource = [
  'src/chain.ts',
  'src/deep/built.ts',
  'src/deep/common.cjs',
  'src/deep/math.mts',
  'src/deep/plain.js',
  'src/deep/view.tsx',
  'src/deep/viewed.tsx',
]

describe('selectFiles', () => {
  it.each<[string, string[], string[], string]>([
    ['a pattern', ['src/**/*.ts'], ['src/chain.ts', 'src/deep/built.ts'], 'src'],
    [
      'a pattern with alternatives',
      ['src/{deep,else}/*.{mts,tsx}'],
      ['src/deep/math.mts', 'src/deep/view.tsx', 'src/deep/viewed.tsx'],
      'src',
    ],
    ['a folder', ['src'], allOfSource, 'src'],
    ['a folder with a dot and a slash', ['./src/'], allOfSource, 'src'],
    ['a file', ['src/deep/math.mts'], ['src/deep/math.mts'], 'src/deep'],
    ['files, as a shell lists them', ['src/chain.test.ts', 'src/chain.ts', 'src/types.d.ts'], ['src/chain.ts'], 'src'],
    [
      'files that are never looked at, though they are named',
      [
        'src/chain.ts',
        'src/deep/.hidden.ts',
        'src/deep/__fixtures__/fixture.ts',
        'src/deep/node_modules/some/index.ts',
      ],
      ['src/chain.ts'],
      'src',
    ],
    ['an absolute pattern', [join(project.folder, 'src/*.ts')], ['src/chain.ts'], 'src'],
    ['a file of a folder with brackets', ['app/[id]/route.ts'], ['app/[id]/route.ts'], 'app/[id]'],
    ['a folder with brackets', ['app/[id]'], ['app/[id]/route.ts'], 'app/[id]'],
    ['a pattern below parentheses', ['app/(group)/*.ts'], ['app/(group)/tool.ts'], 'app/(group)'],
    ['several of them', ['src/deep/*.mts', 'src/chain.ts'], ['src/chain.ts', 'src/deep/math.mts'], 'src'],
    ['far ones', ['src/deep/*.mts', 'app/**/tool.ts'], ['app/(group)/tool.ts', 'src/deep/math.mts'], '.'],
    ['a file twice', ['src/chain.ts', 'src/*.ts'], ['src/chain.ts'], 'src'],
    ['all but a pattern', ['src/**/*.ts', '!src/**/built.*'], ['src/chain.ts'], 'src'],
    ['all but a folder', ['src', '!src/deep'], ['src/chain.ts'], 'src'],
    ['all but a file', ['src/**/*.ts', '!src/chain.ts'], ['src/deep/built.ts'], 'src'],
    ['everything', ['.'], ['app/(group)/tool.ts', 'app/[id]/route.ts', ...allOfSource], '.'],
    [
      'JavaScript alone, where it was asked for',
      ['src/**/*.js'],
      ['src/deep/built.js', 'src/deep/plain.js', 'src/deep/viewed.js'],
      'src',
    ],
  ])('takes %s', (_, patterns, files, folder) => {
    expect(select(...patterns)).toEqual({ files, folder })
  })

  it('goes where patterns lead, also out of the folder that they are relative to', () => {
    const { files } = selectFiles(['../chain.ts', '../../app/**/tool.ts'], join(project.folder, 'src/deep'))
    expect(files.map((file) => posixRelative(project.folder, file))).toEqual(['app/(group)/tool.ts', 'src/chain.ts'])
  })

  it('takes no folder that is named like a file', () => {
    mkdirSync(join(project.folder, 'odd/folder.ts'), { recursive: true })
    project.write({ 'odd/file.ts': '' })
    expect(select('odd/*.ts').files).toEqual(['odd/file.ts'])
  })

  it.each<[string, string[], string]>([
    ['no file matches', ['lib/**/*.ts'], "'lib/**/*.ts'"],
    ['one of several patterns matches no file', ['src/*.ts', 'src/chian.ts'], "'src/chian.ts'"],
    ['there are only tests', ['src/*.test.ts'], "'src/*.test.ts'"],
    ['nothing remains', ['src/chain.ts', '!src'], "'src/chain.ts' '!src'"],
    ['there are only hidden files', ['src/deep/.hidden/*.ts'], "'src/deep/.hidden/*.ts'"],
    ['there are only packages', ['src/deep/node_modules/**/*.ts'], "'src/deep/node_modules/**/*.ts'"],
    ['there is only what is taken away', ['!src'], "'!src'"],
    ['there is no pattern', [], 'no pattern'],
  ])('says what it looked for where %s', (_, patterns, looked) => {
    expect(() => select(...patterns)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(`found by ${looked} in `) }),
    )
  })
})
