import { expect, it } from 'vitest'
import { plainAddress, toTrustedProxies } from './trusted-proxies.ts'

it.each([
  ['127.0.0.1', true],
  ['127.0.0.2', false],
  ['10.1.2.3', true],
  ['11.1.2.3', false],
  ['::ffff:10.1.2.3', true],
  ['::ffff:11.1.2.3', false],
  ['fd00::5', true],
  ['[fd00::5]:443', true],
  ['fe00::5', false],
  ['10.1.2.3:4711', true],
  ['unknown', false],
  ['', false],
])('has %s: %s', (address, isTrusted) => {
  expect(toTrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']).has(address)).toBe(isTrusted)
})

it.each([
  [' 1.2.3.4 ', '1.2.3.4'],
  ['1.2.3.4:80', '1.2.3.4'],
  ['[2001:db8::1]:80', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::FFFF:1.2.3.4', '1.2.3.4'],
  ['1.2.3', undefined],
  ['_hidden', undefined],
])('reads "%s" as %s', (text, address) => {
  expect(plainAddress(text)).toBe(address)
})
