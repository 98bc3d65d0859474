import { describe, expect, it } from 'vitest'
import { collectPieces, listBlocks } from '../../__fixtures__/collect-pieces.ts'
import { type DocxOptions, makeDocx, names, paragraph, table } from '../../__fixtures__/make-docx.ts'
import { parseDocx } from './parse-docx.ts'

const blocks = async (body: string, options?: DocxOptions): Promise<string[]> =>
  listBlocks((await collectPieces(parseDocx, makeDocx(body, options))).pieces)

it('returns headings, paragraphs and tables in order', async () => {
  const body =
    paragraph('Handbook', 'Heading1') +
    paragraph('Welcome.') +
    paragraph('Pay', 'Heading2') +
    table(['Grade', 'Pay'], ['A', '10 | 12'], ['', ''], ['B', '20']) +
    paragraph('The end.')
  expect(await blocks(body)).toEqual([
    'heading 1: Handbook',
    'text: Welcome.',
    'heading 2: Pay',
    'table: Grade | Pay\nA | 10 | 12\nB | 20',
    'text: The end.',
  ])
})

it('reports a document inside of the document, whose text is not read', async () => {
  const inside = '<w:altChunk r:id="r9"/>'
  const reason = expect.stringContaining('another document')
  const { parsed } = await collectPieces(parseDocx, makeDocx(paragraph('Before.') + inside))
  expect(parsed).toEqual({ status: 'low-quality', reason })
  await expect(blocks(inside)).rejects.toMatchObject({ status: 'no-text', message: reason })
})

it('repeats a merged cell in each of its rows, and keeps the columns behind it', async () => {
  const cell = (text: string, properties = ''): string =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`
  const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`
  const [first, more] = ['<w:vMerge w:val="restart"/>', '<w:vMerge/>']
  const rows = [
    row(cell('Day'), cell('When', '<w:gridSpan w:val="2"/>'), cell('Room')),
    row(cell('Monday', first), cell('9'), cell('Maths'), cell('A1', first)),
    row(cell('', more), cell('10'), cell('Music'), cell('', more)),
    row(cell('', more), cell('11', '<w:gridSpan w:val="2"/>'), cell('', more)),
    row(cell('', more), cell(''), cell(''), cell('', more)),
    row(cell('Tuesday'), cell('9'), cell('Sport'), cell('B')),
  ]
  expect(await blocks(`<w:tbl>${rows.join('')}</w:tbl>`)).toEqual([
    [
      'table: Day | When | Room',
      'Monday | 9 | Maths | A1',
      'Monday | 10 | Music | A1',
      'Monday | 11 | A1',
      'Tuesday | 9 | Sport | B',
    ].join('\n'),
  ])
})

it('bounds the text that merged cells repeat', async () => {
  const cell = (text: string, merge: string): string =>
    `<w:tc><w:tcPr><w:vMerge ${merge}/></w:tcPr>${paragraph(text)}</w:tc>`
  const row = (text: string, merge: string): string => `<w:tr>${cell(text, merge)}<w:tc>${paragraph('x')}</w:tc></w:tr>`
  const body = `<w:tbl>${row('y'.repeat(100_000), 'w:val="restart"')}${row('', '').repeat(30)}</w:tbl>`
  const [found = ''] = await blocks(body)
  expect(found.match(/y{100000} \| x/g)).toHaveLength(11)
  expect(found.match(/x$/gm)).toHaveLength(31)
})

it('recognizes a heading by its outline level, under any name of its style', async () => {
  const styles =
    '<w:style w:type="paragraph" w:styleId="1.Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="Heading2"/></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>'
  expect(await blocks(paragraph('Buch', 'Title') + paragraph('Eins', '1.Kapitel'), { styles })).toEqual([
    'heading 1: Buch',
    'heading 2: Eins',
  ])
})

it('keeps the marks of lists', async () => {
  const item = (list: number, text: string, level = 0): string =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  const level = (place: number, format: string): string =>
    `<w:lvl w:ilvl="${place}"><w:numFmt w:val="${format}"/></w:lvl>`
  const kind = (id: number, format: string): string =>
    `<w:abstractNum w:abstractNumId="${id}">${level(0, format)}${level(1, 'bullet')}</w:abstractNum>`
  const numbering =
    `<w:numbering ${names}>${kind(1, 'decimal')}${kind(2, 'bullet')}` +
    [1, 2].map((id) => `<w:num w:numId="${id}"><w:abstractNumId w:val="${id}"/></w:num>`).join('') +
    '</w:numbering>'
  const body = item(1, 'Open') + item(1, 'Close') + item(1, 'slowly', 1) + paragraph('Then:') + item(2, 'Rest')
  expect(await blocks(body, { parts: { 'word/numbering.xml': numbering } })).toEqual([
    'text: 1. Open',
    'text: 2. Close',
    'text: - slowly',
    'text: Then:',
    'text: - Rest',
  ])
})

describe('the numbers of lists and headings', () => {
  const numbered = (text: string, level = 0, list = 1, style?: string): string =>
    `<w:p><w:pPr>${style === undefined ? '' : `<w:pStyle w:val="${style}"/>`}<w:numPr><w:ilvl w:val="${level}"/>` +
    `<w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
  const level = (place: number, format: string, text: string, more = ''): string =>
    `<w:lvl w:ilvl="${place}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`
  const numbering =
    `<w:numbering ${names}><w:abstractNum w:abstractNumId="0">` +
    `${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '%3)')}</w:abstractNum>` +
    `<w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', 'Part %1', '<w:pStyle w:val="Heading2"/>')}` +
    `${level(1, 'decimalZero', 'Section %1.%2', '<w:isLgl/>')}</w:abstractNum>` +
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>' +
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride><w:lvlOverride w:ilvl="1"><w:startOverride w:val="5"/></w:lvlOverride></w:num>' +
    '</w:numbering>'
  const parts = { 'word/numbering.xml': numbering }

  it('are those that Word shows, also behind paragraphs without a number', async () => {
    const body =
      numbered('Payment', 0, 1, 'Heading1') +
      paragraph('The fee is due.') +
      numbered('In euros', 1) +
      numbered('Within a month', 1) +
      numbered('or later', 2) +
      numbered('Notice', 0, 1, 'Heading1') +
      numbered('In writing', 1) +
      numbered('Apart') +
      numbered('Begins again', 0, 3) +
      numbered('below', 1, 3) +
      numbered('Goes on', 0, 3) +
      numbered('below', 1, 3)
    expect(await blocks(body, { parts })).toEqual([
      'heading 1: 1. Payment',
      'text: The fee is due.',
      'text: 1.1 In euros',
      'text: 1.2 Within a month',
      'text: a) or later',
      'heading 1: 2. Notice',
      'text: 2.1 In writing',
      'text: 3. Apart',
      'text: 7. Begins again',
      'text: 7.5 below',
      'text: 8. Goes on',
      'text: 8.5 below',
    ])
  })

  it('are read from the style of a paragraph, and without deleted or empty paragraphs', async () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="Clause"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Sub"><w:basedOn w:val="Clause"/><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr></w:style>'
    const part = (text: string): string =>
      `<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const deleted = numbered('', 0).replace('</w:pPr>', '<w:rPr><w:del w:id="1"/></w:rPr></w:pPr>')
    const body =
      part('One') +
      paragraph('First', 'Clause') +
      deleted +
      paragraph('Second', 'Clause') +
      paragraph('Below', 'Sub') +
      part('Two') +
      numbered('In law', 1, 2) +
      part('')
    expect(await blocks(body, { parts, styles })).toEqual([
      'heading 2: Part I One',
      'text: 1. First',
      'text: 2. Second',
      'text: 2.1 Below',
      'heading 2: Part II Two',
      'text: Section 2.01 In law',
    ])
  })
})

it('reads a document that was written again with other prefixes', async () => {
  const others = (xml: string): string =>
    xml.replace(/(<\/?|\s|xmlns:)w(?=[:=])/g, '$1ns0').replace(/(<\/?|\s|xmlns:)m(?=[:=])/g, '$1ns1')
  const body =
    '<w:p><w:pPr><w:pStyle w:val="Kapitel"/></w:pPr><w:r><w:t>Eins</w:t></w:r></w:p>' +
    '<w:p><w:fldSimple w:instr="SEQ"><w:r><w:t>Figure 7</w:t></w:r></w:fldSimple><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></w:p>'
  const styles = `<w:styles ${names}><w:style w:type="paragraph" w:styleId="Kapitel"><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`
  const parts = {
    'word/document.xml': others(`<w:document ${names}><w:body>${body}</w:body></w:document>`),
    'word/styles.xml': others(styles),
    'word/header1.xml': others(`<w:hdr ${names}>${paragraph('Acme')}</w:hdr>`),
  }
  expect(await blocks('', { parts })).toEqual(['heading 2: Eins', 'text: Figure 7x', 'text: Acme'])
})

it('puts footnotes and comments after the text', async () => {
  const body =
    '<w:p><w:r><w:t>Ouch</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>, again.</w:t></w:r>' +
    '<w:r><w:commentReference w:id="0"/></w:r></w:p>'
  const parts = {
    'word/footnotes.xml': `<w:footnotes ${names}><w:footnote w:id="2">${paragraph('It hurts.')}</w:footnote></w:footnotes>`,
    'word/comments.xml': `<w:comments ${names}><w:comment w:id="0" w:initials="AB">${paragraph('Really?')}</w:comment></w:comments>`,
  }
  expect(await blocks(body, { parts })).toEqual([
    'text: Ouch[1], again.',
    'text: [1] It hurts.',
    'text: Comment [AB1] Really?',
  ])
})

it('reads headers and footers once, without page numbers', async () => {
  const header = (text: string): string => `<w:hdr ${names}>${paragraph(text)}</w:hdr>`
  const parts = {
    'word/header1.xml': header('Acme &amp; Co'),
    'word/header2.xml': header('Acme &amp; Co'),
    'word/footer1.xml': header('12'),
  }
  expect(await blocks(paragraph('Body.'), { parts })).toEqual(['text: Body.', 'text: Acme & Co'])
})

it.each([
  [
    'an equation',
    '<m:oMathPara><m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:r><m:t> &lt; 1</m:t></m:r></m:oMath></m:oMathPara>',
    'x^2 < 1',
  ],
  ['a field', '<w:fldSimple w:instr=" SEQ Figure "><w:r><w:t>Figure 7</w:t></w:r></w:fldSimple>', 'Figure 7'],
  [
    'ruby',
    '<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>',
    '漢',
  ],
  ['a line break', '<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t></w:r>', 'one\ntwo'],
  ['a deletion', '<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>', 'new'],
  ['a tab', '<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>', 'a\tb'],
])('reads %s', async (_, content, expected) => {
  expect(await blocks(`<w:p>${content}</w:p>`)).toEqual([`text: ${expected}`])
})

it('omits the text that Word hides', async () => {
  const text = (content: string, properties: string): string =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t>${content}</w:t></w:r>`
  const hidden = text('Draft: ask Ann.', '<w:b/><w:vanish/>') + text('Later.', '<w:vanish w:val="true"/>')
  const shown = text('The price is 5.', '<w:vanish w:val="0"/>') + text(' Always.', '<w:webHidden/>')
  // The paragraph mark of a heading that continues on its line is hidden, and its text is not.
  const sameLine = '<w:pPr><w:rPr><w:vanish/><w:specVanish/></w:rPr></w:pPr>'
  const body = `<w:p>${hidden}</w:p><w:p>${shown}${hidden}</w:p><w:p>${sameLine}<w:r><w:t>Delivery.</w:t></w:r></w:p>`
  const parts = { 'word/header1.xml': `<w:hdr ${names}><w:p>${hidden}</w:p><w:p>${text('Acme', '')}</w:p></w:hdr>` }
  expect(await blocks(body, { parts })).toEqual(['text: The price is 5. Always.', 'text: Delivery.', 'text: Acme'])
})

it('omits the text that a style hides', async () => {
  const style = (type: string, id: string, more: string, attributes = ''): string =>
    `<w:style w:type="${type}" w:styleId="${id}"${attributes}><w:name w:val="${id}"/>${more}</w:style>`
  const hides = '<w:rPr><w:b/><w:vanish/></w:rPr>'
  const styles = [
    style('paragraph', 'Normal', '', ' w:default="1"'),
    style('paragraph', 'Note', `<w:basedOn w:val="Normal"/>${hides}`),
    style('paragraph', 'LateNote', '<w:basedOn w:val="Note"/>'),
    style('paragraph', 'Shown', '<w:basedOn w:val="Note"/><w:rPr><w:vanish w:val="false"/></w:rPr>'),
    style('paragraph', 'Loop', '<w:basedOn w:val="Loop"/>'),
    style('paragraph', 'Changed', '<w:rPr><w:b/><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr>'),
    style('character', 'Secret', hides),
    style('character', 'VerySecret', '<w:basedOn w:val="Secret"/>'),
  ].join('')
  const run = (text: string, properties = ''): string =>
    `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t>${text}</w:t></w:r>`
  const inStyle = (id: string, ...runs: string[]): string =>
    `<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${runs.join('')}</w:p>`
  const secret = '<w:rStyle w:val="VerySecret"/>'
  const box = `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${inStyle('Note', run('Boxed.'))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`
  const body = [
    inStyle('Note', run('Hidden.'), run('Hidden too.', '<w:b/>'), '<w:r w:rsidR="1"/>'),
    inStyle('LateNote', run('Hidden by what it is based on.')),
    inStyle('LateNote', run('Shown by itself.', '<w:vanish w:val="0"/>')),
    inStyle('Shown', run('Shown by its style.')),
    inStyle('Note', run('Shown as both hide.', secret)),
    `<w:p>${run('Shown ')}${run('hidden ', secret)}${run('as', `${secret}<w:vanish w:val="off"/>`)}${box}${run(' a rest.')}</w:p>`,
    inStyle('Loop', run('Based on itself.')),
    inStyle('Changed', run('Hidden before a change.')),
    inStyle('Unknown', run('Unknown.')),
    `<w:p><w:pPr><w:pPrChange><w:pPr><w:pStyle w:val="Note"/></w:pPr></w:pPrChange></w:pPr>${run('Was hidden.')}</w:p>`,
  ].join('')
  const parts = {
    'word/header1.xml': `<w:hdr ${names}>${inStyle('Note', run('Draft'))}${inStyle('Shown', run('Acme'))}</w:hdr>`,
  }
  expect(await blocks(body, { styles, parts })).toEqual([
    'text: Shown by itself.',
    'text: Shown by its style.',
    'text: Shown as both hide.',
    'text: Shown as a rest.',
    'text: Based on itself.',
    'text: Hidden before a change.',
    'text: Unknown.',
    'text: Was hidden.',
    'text: Acme',
  ])
})

it.each([
  [
    'a run that was hidden before a tracked change',
    '',
    'Shown.',
    '<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>',
  ],
  ['a text box whose first run is hidden', 'Hidden.', 'Shown.', ''],
])('shows the text of %s', async (_, hidden, shown, change) => {
  const run = (content: string, properties: string): string =>
    content && `<w:r><w:rPr>${properties}</w:rPr><w:t>${content}</w:t></w:r>`
  const text = `<w:p>${run(hidden, '<w:vanish/>')}${run(shown, `<w:b/>${change}`)}</w:p>`
  const box = `<w:pict><v:shape><v:textbox><w:txbxContent>${text}</w:txbxContent></v:textbox></v:shape></w:pict>`
  const body = hidden ? `<w:p><w:r><w:rPr><w:noProof/></w:rPr>${box}</w:r></w:p>` : text
  expect(await blocks(body)).toEqual([`text: ${shown}`])
})

it('reads a text box, and a table with one column as text', async () => {
  const box = `<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent>${paragraph('Boxed')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`
  expect(await blocks(box + table(['Framed'], ['Below']))).toEqual(['text: Boxed', 'text: Framed', 'text: Below'])
})

it('reads a text box of recent versions, with or without its older alternative', async () => {
  const box = (text: string): string =>
    `<w:drawing><wps><w:txbxContent>${paragraph(text)}</w:txbxContent></wps></w:drawing>`
  const old = `<mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>${paragraph('Both')}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>`
  const alternatives = (...versions: string[]): string =>
    `<mc:AlternateContent>${versions.join('')}</mc:AlternateContent>`
  const body = [
    alternatives(`<mc:Choice>${box('Both')}</mc:Choice>`, old),
    alternatives(
      `<mc:Choice>${box(`New</w:t>${alternatives(`<mc:Choice>${box('Inner')}</mc:Choice>`)}<w:t>`)}</mc:Choice>`,
    ),
    box('Bare'),
  ]
  expect(await blocks(body.map((run) => `<w:p><w:r>${run}</w:r></w:p>`).join(''))).toEqual([
    'text: Both',
    'text: New',
    'text: Inner',
    'text: Bare',
  ])
})

it('reads a text box of a document that does not declare the older kind of picture', async () => {
  const box = `<w:p><w:r><w:drawing><wps><w:txbxContent>${paragraph('Boxed')}</w:txbxContent></wps></w:drawing></w:r></w:p>`
  const document = `<w:document ${names.replace(/xmlns:v="[^"]*"/, '')}><w:body>${box}</w:body></w:document>`
  expect(await blocks('', { parts: { 'word/document.xml': document } })).toEqual(['text: Boxed'])
})

it('reads only the words when lists or fields are invalid', async () => {
  const numbering = `<w:numbering ${names}><w:num w:numId="1"/></w:numbering>`
  const body =
    '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Item</w:t></w:r></w:p>'
  const { pieces, parsed } = await collectPieces(
    parseDocx,
    makeDocx(body, { parts: { 'word/numbering.xml': numbering } }),
  )
  expect(listBlocks(pieces)).toEqual(['text: Item'])
  expect(parsed).toMatchObject({ status: 'low-quality', reason: expect.stringMatching(/structure is damaged/) })
})

it('does not treat a paragraph in a heading style as a heading', async () => {
  const long = 'It goes on and on. '.repeat(12).trim()
  expect(await blocks(paragraph(long, 'Heading1') + paragraph('____', 'Heading1'))).toEqual([
    `text: ${long}`,
    'text: ____',
  ])
})

it('uses the title of the document, if it has one', async () => {
  const title = async (text?: string): Promise<unknown> =>
    (await collectPieces(parseDocx, makeDocx(paragraph('Hi'), text === undefined ? {} : { title: text }))).parsed
  expect(await title('Travel &amp; costs')).toEqual({ status: 'ok', title: 'Travel & costs' })
  expect(await title('Document1.docx')).toEqual({ status: 'ok' })
  expect(await title()).toEqual({ status: 'ok' })
})

it.each([
  ['no text', makeDocx('<w:p/>'), 'no-text', /no text/],
  ['pictures only', makeDocx('<w:p/>', { parts: { 'word/media/image1.png': 'x' } }), 'no-text', /pictures only/],
  ['XML that is broken', makeDocx('<w:p><w:r></w:p>'), 'corrupt', /damaged/],
  ['half a file', makeDocx(paragraph('Hello')).slice(0, 300), 'corrupt', /damaged/],
  ['no main part', makeDocx('', { parts: { '_rels/.rels': '', 'word/document.xml': '' } }), 'corrupt', /damaged/],
])('reports %s', async (_, bytes, status, reason) => {
  await expect(collectPieces(parseDocx, bytes)).rejects.toMatchObject({
    code: 'unreadable-file',
    status,
    message: expect.stringMatching(reason),
  })
})

it('stops when it is aborted', async () => {
  await expect(collectPieces(parseDocx, makeDocx(paragraph('Hello')), AbortSignal.abort())).rejects.toThrow(/abort/)
})
