import { Agent, memorySessions } from 'agentkit'
import { describe, expect, it } from 'vitest'
import { convertUnits } from './convert-units.ts'
import { getCurrentTime } from './get-current-time.ts'

describe('convertUnits', () => {
  it.each([
    [26.2, 'miles', 'kilometers', 42.1648128],
    [1, 'pounds', 'grams', 453.59237],
    [12, 'inches', 'feet', 1],
  ] as const)('makes %d %s into %s', (value, from, to, result) => {
    expect(convertUnits(value, from, to)).toEqual({ value, from, to, result })
  })

  it.each([
    ['Convert 10 km to miles', '6.213711922'],
    ['Convert 10 miles to km', '16.09344'],
    ['How many miles are 10 km?', '6.213711922'],
    ['How many feet is 3 m?', '9.842519685'],
    ['what is 3 oz in grams', '85.04856937'],
    ['how many kg is 150 pounds', '68.0388555'],
  ])('is found and filled without a language model: %s', async (question, result) => {
    const model = 'offline/extractive'
    const agent = new Agent({ name: 'Test', functions: [convertUnits], model, sessions: memorySessions() })
    expect(await agent.chat(question)).toContain(result)
  })

  it('refuses to convert a length to a weight', () => {
    expect(() => convertUnits(1, 'miles', 'grams')).toThrow('miles is a length and grams a weight')
  })
})

describe('getCurrentTime', () => {
  it('returns date and time', () => {
    expect(getCurrentTime('Asia/Tokyo')).toMatchObject({
      time: expect.stringMatching(/\d{4}.*\d{2}:\d{2}/),
    })
  })

  it('refuses an unknown time zone', () => {
    expect(() => getCurrentTime('Mars/Base')).toThrow(/Mars\/Base/)
  })
})
