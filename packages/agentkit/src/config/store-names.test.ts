import { join } from 'node:path'
import { memorySessions } from '@agentkit/core'
import { expect, it } from 'vitest'
import { nameStore, storeName, withoutPassword } from './store-names.ts'

it.each([
  ['postgres://ann:hunter2@db.example.com:5432/app', 'postgres://ann@db.example.com:5432/app'],
  ['postgresql://ann@localhost/app', 'postgresql://ann@localhost/app'],
  ['postgres://localhost/app', 'postgres://localhost/app'],
  ['postgres://ann:hun/te@r?2:x@localhost/app', 'postgres://ann@localhost/app'],
  ['postgres:///app?host=/run/pg&password=hunter2', 'postgres:///app'],
  ['postgres://ann:hunter2@one:5432,two:5432/app?sslmode=require', 'postgres://ann@one:5432,two:5432/app'],
  ['postgres://:hunter2@localhost', 'postgres://@localhost'],
])('shows %s as %s', (address, shown) => {
  expect(withoutPassword(address)).toBe(shown)
})

it('names a store by its path in this folder, and by its address', () => {
  const store = memorySessions()
  expect(storeName(store)).toBe('a store of its own')
  nameStore(store, join(process.cwd(), 'data/sessions.db'))
  expect(storeName(store)).toBe(join('data', 'sessions.db'))
  nameStore(store, '/elsewhere/sessions.db')
  expect(storeName(store)).toBe('/elsewhere/sessions.db')
  nameStore(store, 'postgres://ann:hunter2@localhost/app')
  expect(storeName(store)).toBe('postgres://ann@localhost/app')
})
