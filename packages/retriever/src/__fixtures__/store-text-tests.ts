import { expect, it } from 'vitest'
import type { Filter } from '../data/search-filter.ts'
import { adding, makeFile, never } from './make-file.ts'
import type { StoreUnderTest } from './store-under-test.ts'

/** Tests the contract of `searchText`. */
export function textSearchTests(underTest: () => StoreUnderTest): void {
  /** The quotes that are found, the best first. */
  const search = async (query: string, options: { filter?: Filter; fuzzy?: boolean; limit?: number } = {}) => {
    const { store } = underTest()
    const { filter = {}, limit = 20, ...rest } = options
    const found = await store.searchText(query, { limit, filter, ...rest })
    const scores = found.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((one, other) => other - one))
    const chunks = await store.chunks(found.map(({ id }) => id))
    // A store may read them at once: the same ones.
    const withChunks = await store.searchText(query, { limit, filter, ...rest, withChunks: true })
    expect(withChunks.map(({ id, chunk }, index) => [id, chunk ?? chunks[index]])).toEqual(
      chunks.map((chunk) => [chunk.id, chunk]),
    )
    return chunks.map(({ quote }) => quote)
  }
  const index = (file: string, ...passages: Parameters<typeof makeFile>[1]): Promise<void> => {
    const { store, dimensions } = underTest()
    return store.apply(adding(makeFile(file, passages, { dimensions })), never)
  }

  it('ranks passages that say more of the query first', async () => {
    await index(
      'a.md',
      'The weather was fine all week, and nothing else is to be told of it',
      'Honey comes from bees',
      'Bees live in hives, and there are many kinds of bees: honey bees are but one of them',
      'A hive of bees needs a keeper',
      'Keepers wear veils',
    )
    const quotes = await search('How do bees make honey?')
    expect(quotes.slice(0, 2).sort()).toEqual([
      'Bees live in hives, and there are many kinds of bees: honey bees are but one of them',
      'Honey comes from bees',
    ])
    expect(quotes[2]).toBe('A hive of bees needs a keeper')
    expect(quotes).toHaveLength(3)
  })

  it.each([
    ['a word without an end', `bees ${'x'.repeat(100_000)}`],
    ['words that nobody knows', `bees ${Array.from({ length: 3000 }, (_, number) => `q${number}zw`).join(' ')}`],
    ['one word again and again', 'bees '.repeat(5000)],
    ['bytes', `bees ${Buffer.alloc(9000, 'many bytes').toString('base64')}`],
  ])('finds what there is for %s', async (_what, query) => {
    await index('a.md', 'Honey comes from bees', 'Wax is something else')
    expect(await search(query, { fuzzy: true })).toEqual(['Honey comes from bees'])
    expect(await search(query.slice(5), { fuzzy: true })).toEqual(query.startsWith('bees bees') ? expect.anything() : [])
  })

  it.each([
    ['19.99', 'The blue chair is 19.99 euro'],
    ['price of 2.50', 'A ticket is 2.50 euro'],
    ['2.4.1', 'Version v2.4.1 fixes the login'],
    ['v2.4.1', 'Version v2.4.1 fixes the login'],
    ['1234567', 'In all 1,234,567 were sold'],
  ])('finds the number %j first, before other numbers with its parts', async (query, quote) => {
    const others = ['99 chairs, 19 of them red', '4 of 2 and 1', 'Version v2.4.2 and 1 other, 2 of 4 things', '50 of 2, 567']
    await index('a.md', ...others, 'The blue chair is 19.99 euro', 'A ticket is 2.50 euro')
    await index('b.md', 'Version v2.4.1 fixes the login', 'In all 1,234,567 were sold', ...others)
    expect((await search(query))[0]).toBe(quote)
  })

  it.each([
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'сельскохозяйственный',
    'საქართველოსთვის',
  ])('finds the long word %j', async (word) => {
    await index('a.md', `The text says ${word} here`, 'The text says nothing here')
    expect(await search(word)).toEqual([`The text says ${word} here`])
  })

  it('lets a rare word outweigh a common one, and a short passage a long one', async () => {
    const common = Array.from({ length: 30 }, (_, number) => `Report ${number} about water and other things`)
    const filler = 'with a great deal of other text that speaks about neither of them '.repeat(4)
    await index('a.md', ...common, 'A zeppelin is a ship', `A zeppelin again, ${filler}`)
    expect((await search('water zeppelin')).slice(0, 2)).toEqual(['A zeppelin is a ship', `A zeppelin again, ${filler}`])
  })

  it.each([
    ['holiday', 'Employees have twenty HOLIDAYS a year'],
    ['Running', 'He runs each morning'],
    ['cafe', 'Le café est fermé'],
    ['CAFÉ', 'The cafe is closed'],
    ['strasse', 'Die Straße ist lang'],
    ['user name', 'Set the field user_name to yours'],
    ['user name', 'Call getUserName() for yours'],
    ['maxRetryCount', 'How many times to retry'],
    ['html5', 'Use parseHTML5Doc for that'],
    ['XMLHttpRequest', 'XMLHttpRequests were replaced'],
    ['pre-order', 'The pre-order is over'],
    ['42', 'The answer is 42 today'],
    ['2026', 'It ends in November 2026.'],
    ['图书馆', '北京大学图书馆今天开放'],
    ['コンピューター', 'コンピュータを使用します'],
    ['サーバ', '新しいサーバーが届きました'],
    ['Приказ', 'Это приказ директора'],
    ['كتاب جديد', 'كِتَابٌ جَدِيدٌ'],
    ['الاجازة', 'يحصل الموظفون على الإجازة'],
    ['שלום', 'שָׁלוֹם לכולם'],
    ['20', 'عدد الأيام ٢٠'],
    ['information', 'Ask for infor\u00admation'],
  ])('finds %j in %j', async (query, quote) => {
    await index('a.md', 'Something else altogether', quote, 'And one more passage')
    expect(await search(query)).toEqual([quote])
  })

  it('finds by the heading that a passage stands below', async () => {
    await index('a.md', { quote: 'Thirty of them', heading: 'Handbook > Holidays' }, 'Twenty of them')
    expect(await search('holidays')).toEqual(['Thirty of them'])
  })

  it.each(['who', 'IT', 'the WHO'])('finds %j where it is a name', async (query) => {
    await index('a.md', 'The WHO and IT departments', 'Bees make honey')
    expect(await search(query, { fuzzy: true })).toEqual(['The WHO and IT departments'])
  })

  it.each(['', '   ', '?!', '"', "'", '*', 'AND', 'NOT (', '^~[]{}\\/+-:', '🐝', '\0', 'the who'])(
    'answers the odd query %j',
    async (query) => {
      await index('a.md', 'Bees make honey')
      expect(await search(query)).toEqual([])
      expect((await search(`${query} honey`)).length).toBe(1)
    },
  )

  it('knows no operators', async () => {
    await index('a.md', 'Bees make honey', 'Wasps make paper')
    expect((await search('+honey AND -paper NOT "bees wasps" (title:x) honey~2 pap*')).sort()).toEqual([
      'Bees make honey',
      'Wasps make paper',
    ])
  })

  it('answers a long query', async () => {
    await index('a.md', 'Bees make honey')
    expect(await search(`${'lorem ipsum dolor sit amet '.repeat(400)} honey`)).toEqual(['Bees make honey'])
  })

  it('finds nothing for words that nobody says', async () => {
    await index('a.md', 'Bees make honey')
    expect(await search('submarine')).toEqual([])
  })

  it('honours the limit', async () => {
    const passages = Array.from({ length: 1200 }, (_, number) => `Honey in jar number ${number}`)
    await index('a.md', ...passages)
    expect(await search('honey', { limit: 3 })).toHaveLength(3)
    expect(await search('honey', { limit: 1000 })).toHaveLength(1000)
  })

  it.each<[string, Filter, string[]]>([
    ['a file', { paths: ['docs/a.md'] }, ['docs/a.md']],
    ['two files', { paths: ['docs/a.md', 'b.txt'] }, ['b.txt', 'docs/a.md']],
    ['a folder', { paths: ['docs/'] }, ['docs/a.md', 'docs/deep/c.csv']],
    ['a folder below', { paths: ['docs/deep/'] }, ['docs/deep/c.csv']],
    ['no half of a name', { paths: ['doc', 'docs'] }, []],
    ['case', { paths: ['Docs/'] }, []],
    ['no pattern', { paths: ['doc%/', 'docs/_.md'] }, []],
    ['an extension', { exts: ['.md'] }, ['docs/a.md', 'docs2/d.MD']],
    ['extensions', { exts: ['.csv', '.txt'] }, ['b.txt', 'docs/deep/c.csv']],
    ['a folder and an extension', { paths: ['docs/'], exts: ['.md'] }, ['docs/a.md']],
    ['nothing that is there', { paths: ['docs/'], exts: ['.pdf'] }, []],
  ])('filters by %s', async (_what, filter, files) => {
    const { store, dimensions } = underTest()
    const names = ['docs/a.md', 'b.txt', 'docs/deep/c.csv', 'docs2/d.MD']
    await store.apply(adding(...names.map((name) => makeFile(name, [`Honey of ${name}`], { dimensions }))), never)
    const ids = (await store.searchText('honey', { limit: 10, filter })).map(({ id }) => id)
    expect((await store.chunks(ids)).map(({ file }) => file).sort()).toEqual(files)
  })

  it('fills the limit behind a filter that few chunks pass', async () => {
    const { store, dimensions } = underTest()
    const many = Array.from({ length: 300 }, (_, number) => `Honey, honey and honey number ${number}`)
    const few = makeFile('few.txt', ['Some honey, among a number of other things', 'A little honey'], { dimensions })
    await store.apply(adding(makeFile('many.md', many, { dimensions }), few), never)
    expect(await search('honey', { limit: 5, filter: { paths: ['few.txt'] } })).toHaveLength(2)
    expect(await search('honey', { limit: 5, filter: { exts: ['.txt'] } })).toHaveLength(2)
  })

  it('finds the first chunks that come after changes without any', async () => {
    const { store } = underTest()
    await store.apply({ changed: [], removed: [] }, never)
    await store.apply(adding(makeFile('empty.md', [])), never)
    const filler = Array.from({ length: 40 }, (_, number) => `Passage ${number} speaks of ${number % 5 ? 'sand' : 'water'}`)
    await index('a.md', ...filler, 'Water and honey', 'Honey')
    expect((await search('honey')).sort()).toEqual(['Honey', 'Water and honey'])
    expect(await search('water honey', { limit: 1 })).toEqual(['Water and honey'])
  })

  it('ranks as before when every chunk has been replaced', async () => {
    const passages = (round: string) => [
      ...Array.from({ length: 40 }, (_, number) => `Number ${number} of ${round} is about ${number % 5 ? 'sand' : 'water'}`),
      `Honey in ${round}, and water`,
      `Honey in ${round}`,
    ]
    await index('a.md', ...passages('January'))
    await index('a.md', ...passages('March'))
    expect(await search('honey', { limit: 1 })).toEqual(['Honey in March'])
    expect(await search('water honey', { limit: 1 })).toEqual(['Honey in March, and water'])
    expect(await search('January')).toEqual([])
    await underTest().store.maintain(never)
    expect(await search('honey', { limit: 1 })).toEqual(['Honey in March'])
    await index('a.md', ...passages('May'))
    expect(await search('water honey', { limit: 1 })).toEqual(['Honey in May, and water'])
    expect(await search('March')).toEqual([])
  })

  it.each([
    ['employes', 'All employees are insured'],
    ['insurence', 'The insurance covers all'],
    ['recieve', 'You receive a letter'],
    ['fotosynthesis', 'Plants live by photosynthesis'],
    ['photosyn', 'Plants live by photosynthesis'],
  ])('finds the misspelt or unfinished %j in %j when it may be fuzzy', async (query, quote) => {
    await index('a.md', 'Something else altogether', quote, 'And one more passage of quite other words')
    expect(await search(query, { fuzzy: true })).toEqual([quote])
  })

  it.each([
    ['Urlaub', 'Der Jahresurlaubsanspruch beträgt 30 Tage'],
    ['Übernachtung', 'Die Hotelübernachtungen werden erstattet'],
    ['إجازة', 'يحصل الموظفون على الإجازة'],
    ['휴가', '직원은 유급휴가를 받습니다'],
    ['서울', '회의는 서울에서 열립니다'],
    ['カレー', 'カレーライスの作り方'],
    ['ｻｲﾄ', '会社のウェブサイトで申し込む'],
    ['圖書', '圖書館於八點開放'],
  ])('finds %s within a longer word of %j when it may be fuzzy', async (query, quote) => {
    await index('a.md', 'Something else altogether', quote, 'And one more passage of quite other words')
    expect(await search(query, { fuzzy: true })).toEqual([quote])
  })

  it.each([
    ['Mitarbeitern', 'Jeder Mitarbeiter hat 30 Tage'],
    ['Vermietern', 'Der Vermieter zahlt'],
  ])('finds %s by a shorter form in %j when it may be fuzzy', async (query, quote) => {
    await index('a.md', 'Something else altogether', quote, 'And one more passage of quite other words')
    expect(await search(query, { fuzzy: true })).toEqual([quote])
  })

  it('finds no number within a longer one when it may be fuzzy', async () => {
    await index('a.md', 'Its number is 9123456789')
    expect(await search('23456', { fuzzy: true })).toEqual([])
  })

  it('puts exact words before words like them when it may be fuzzy', async () => {
    await index('a.md', 'The contact of two wires', 'The contract of two parties')
    expect((await search('contract', { fuzzy: true }))[0]).toBe('The contract of two parties')
  })

  it('filters fuzzy searches too', async () => {
    await index('a.md', 'The insurance covers all')
    await index('b.md', 'Insurances for everybody')
    expect(await search('insurence', { fuzzy: true, filter: { paths: ['b.md'] } })).toEqual(['Insurances for everybody'])
  })
}
