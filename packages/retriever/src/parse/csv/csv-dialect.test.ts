import { expect, it } from 'vitest'
import { detectDialect } from './csv-dialect.ts'

it('takes a space that a file declares as its delimiter, and reads no spaces before quotes then', async () => {
  const found = await detectDialect('a  "b"\n'.repeat(100), true, ' ')
  expect(found).toMatchObject({ delimiter: ' ', isSpaced: false })
})

it.each([
  ['numbers with decimal commas', 'x;y\n', '1,5;2,5\n', ';', 2],
  ['such numbers without a header', '', '1,5;-1.234,50\n', ';', 2],
  ['such numbers below a header that lacks the first name', '"x";"y"\n', '"1";1,5;2,5\n', ';', 3],
  ['lists with semicolons', 'name,tags\n', 'Ann,a;b;c\n', ',', 2],
  ['lists with bars', 'id,path\n', '1,a|b|c|d\n', ',', 2],
  ['quoted texts with semicolons', 'id,note\n', '1,"one; two; three; four"\n', ',', 2],
  ['addresses with commas', 'id\taddress\n', '1\tStreet 1, 10115 Berlin, Germany\n', '\t', 2],
  ['addresses without a header', '', '1\tStreet 1, 10115 Berlin, Germany\n', '\t', 2],
  ['quoted addresses without a header', '', '1;"Street 1, 10115 Berlin, Germany"\n', ';', 2],
  ['quoted decimals', 'a,b\n', '"1,5","2,5"\n', ',', 2],
])('is not misled by %s in each of many records', async (_, head, record, delimiter, width) => {
  expect(await detectDialect(head + record.repeat(100), true)).toMatchObject({ delimiter, width })
})
