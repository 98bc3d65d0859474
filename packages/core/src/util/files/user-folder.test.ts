import { expect, it } from 'vitest'
import { userFolder } from './user-folder.ts'

it('names a different folder for each user, also where case and Unicode forms are ignored', () => {
  const users = ['a/b', 'a_b', 'a-b', 'A/B', 'a b', 'é', 'e\u0301', 'É', 'con', 'CON', '.', '..', '../a', '*', '']
  const names = users.map((user) => userFolder(user).toLowerCase().normalize('NFC'))
  expect(new Set(names).size).toBe(users.length)
})

it('names a folder that every file system accepts, of any user id', () => {
  for (const user of ['ada', '\u{1f600}'.repeat(128), 'x'.repeat(128), '-', 'a/../../b', 'nul', '\u202e']) {
    expect(userFolder(user)).toMatch(/^[a-z0-9][a-z0-9-]{0,40}-[0-9a-f]{32}$/)
  }
})

it('is the same in every version, because files lie in it', () => {
  expect(userFolder('Ada Lovelace')).toBe('ada-lovelace-76740216171591903cdbd18fbc770df4')
})
