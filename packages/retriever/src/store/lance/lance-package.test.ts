import { expect, it } from 'vitest'
import { loadLance } from './lance-package.ts'

const absent = (name: string): Error =>
  Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- …`), { code: 'MODULE_NOT_FOUND' })

it.each(['@lancedb/lancedb', 'apache-arrow'])('says how to install it when %s is absent', (missing) => {
  const load = (name: string): unknown => {
    if (name === missing) throw absent(name)
    return {}
  }
  expect(() => loadLance(load)).toThrow(
    expect.objectContaining({
      code: 'missing-package',
      message: expect.stringContaining('npm i @lancedb/lancedb apache-arrow@18.1.0'),
    }),
  )
})

it('names the platform for which LanceDB has no binary, and an alternative', () => {
  const load = (name: string): unknown => {
    if (name === '@lancedb/lancedb') throw absent('@lancedb/lancedb-darwin-x64')
    return {}
  }
  expect(() => loadLance(load)).toThrow(
    expect.objectContaining({
      code: 'unsupported',
      message: expect.stringMatching(new RegExp(`on ${process.platform}-${process.arch} .*basic works everywhere`)),
    }),
  )
})

it('sets LanceDB to log errors only, before it is loaded', () => {
  const before = process.env.LANCEDB_LOG
  delete process.env.LANCEDB_LOG
  try {
    let level: string | undefined
    loadLance((name) => {
      if (name === '@lancedb/lancedb') level = process.env.LANCEDB_LOG
      return {}
    })
    expect(level).toBe('error')
    process.env.LANCEDB_LOG = 'debug'
    loadLance(() => ({}))
    expect(process.env.LANCEDB_LOG).toBe('debug')
  } finally {
    if (before === undefined) delete process.env.LANCEDB_LOG
    else process.env.LANCEDB_LOG = before
  }
})
