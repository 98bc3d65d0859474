import { expect, it } from 'vitest'
import { jsonSchemaValidator } from './json-schema-validator.ts'
import { isURL } from './url-format.ts'

it.each([
  'http://example.com',
  'https://a.example.com:8080/path?q=1#part',
  'ftp://user:word@files.example.com',
  'http://8.8.8.8/',
  'http://münchen.example/straße',
])('accepts %s', (url) => {
  expect(isURL(url)).toBe(true)
})

it.each([
  '',
  'example.com',
  'http://localhost',
  'http://a--b.com',
  'http://-a.com',
  'http://10.0.0.1',
  'http://192.168.1.1',
  'http://example.com/a b',
  'mailto:a@example.com',
])('refuses %j', (text) => {
  expect(isURL(text)).toBe(false)
})

it.each(['a', 'a.', 'a-', 'a@', ':', '1.', '/', '@', 'é', ' '])(
  'has the format of what a model wrote checked in a moment: a megabyte of %j',
  async (unit) => {
    const validate = await jsonSchemaValidator({ type: 'string', format: 'url' }, 'The link')
    const before = process.cpuUsage()
    // With the validator's own pattern, 40 of the first took minutes.
    for (const length of [40, 1_000_000]) validate(`http://${unit.repeat(length / unit.length)} `)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  },
)
