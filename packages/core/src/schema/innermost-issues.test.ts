import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { compileSchema } from './schema.ts'

const shapes = z.union([
  z.object({ kind: z.literal('circle'), r: z.number(), unit: z.enum(['cm', 'm']) }),
  z.object({ kind: z.literal('square'), w: z.number() }),
])
const shapes3 = z3.union([
  z3.object({ kind: z3.literal('circle'), r: z3.number(), unit: z3.enum(['cm', 'm']) }),
  z3.object({ kind: z3.literal('square'), w: z3.number() }),
])

describe('of a value that fits no member of a union, the problems are', () => {
  it.each<[string, z.ZodType, z3.ZodTypeAny, unknown, string[], string[]]>([
    [
      'those of its kind',
      shapes,
      shapes3,
      { kind: 'square', w: '5' },
      ['by.w: Invalid input: expected number, received string'],
      ['by.w: Expected number, received string'],
    ],
    [
      'of its kind where a word is none',
      shapes,
      shapes3,
      { kind: 'circle', r: 1, unit: 'ft' },
      ['by.unit: Invalid option: expected one of "cm"|"m"'],
      ["by.unit: Invalid enum value. Expected 'cm' | 'm', received 'ft'"],
    ],
    [
      'of an object that may be a text',
      z.union([z.string(), shapes]),
      z3.union([z3.string(), shapes3]),
      { kind: 'circle', r: 'x', unit: 'm' },
      ['by.r: Invalid input: expected number, received string'],
      ['by.r: Expected number, received string'],
    ],
    [
      'of each type that it has not',
      z.union([z.string(), z.number()]),
      z3.union([z3.string(), z3.number()]),
      true,
      ['by: Invalid input: expected string, received boolean', 'by: Invalid input: expected number, received boolean'],
      ['by: Expected string, received boolean', 'by: Expected number, received boolean'],
    ],
    [
      'of each item on its own',
      z.array(shapes),
      z3.array(shapes3),
      [{ kind: 'square', w: 1 }, { kind: 'square' }],
      ['by.1.w: Invalid input: expected number, received undefined'],
      ['by.1.w: Required'],
    ],
  ])('%s', async (_name, schema, older, by, problems, olderProblems) => {
    const zod = await compileSchema(z.object({ by: schema }), 'Tool "a"')
    expect((await zod.validate({ by })).problems).toEqual(problems)
    const zod3 = await compileSchema(z3.object({ by: older }), 'Tool "a"')
    expect((await zod3.validate({ by })).problems).toEqual(olderProblems)
  })

  it('of valibot, those of all members', async () => {
    const circle = v.object({ kind: v.literal('circle'), r: v.number() })
    const square = v.object({ kind: v.literal('square'), in: v.object({ w: v.number() }) })
    const { validate } = await compileSchema(
      v.object({ by: v.union([circle, square]), or: v.union([v.string(), v.number()]) }),
      'Tool "a"',
    )
    expect((await validate({ by: { kind: 'square', in: { w: '5' } }, or: true })).problems).toEqual([
      'by.kind: Invalid type: Expected "circle" but received "square"',
      'by.r: Invalid key: Expected "r" but received undefined',
      'by.in.w: Invalid type: Expected number but received "5"',
      'or: Invalid type: Expected (string | number) but received true',
    ])
  })

  it('its own, where a refinement refuses what fits', async () => {
    const { validate } = await compileSchema(
      z.object({ by: z.union([z.string().min(3, 'Too short'), z.number()]) }),
      'Tool "a"',
    )
    expect((await validate({ by: 'x' })).problems).toEqual(['by: Too short'])
  })
})
