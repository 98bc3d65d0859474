import { type Expected, object } from './expected.ts'

const place = { latitude: { type: 'number' }, longitude: { type: 'number' } }

export const docstrings: Expected[] = [
  {
    name: 'lookUpWord',
    description: 'Looks up a word in the dictionary.\n\nReturns: Its meanings, the usual one first.',
    inputSchema: object({
      word: { type: 'string', description: 'The word, in its base form.' },
      language: { type: 'string', description: 'The language of the word, as a two-letter code.' },
    }),
    parameters: ['word', 'language'],
    calls: [[{ word: 'tea', language: 'en' }, ['tea', 'en']]],
  },
  {
    name: 'translate',
    description: `Translates a text.

      Keeps names, numbers and markup as they are. A text of more than 5,000 characters is split.

      Formality is a matter of the target language: - German and French know it, - English does not.

      Returns: The translation.`,
    inputSchema: object({
      text: { type: 'string', description: 'The text to translate.' },
      target: { type: 'string', description: 'The language to translate to.' },
      formal: {
        type: 'boolean',
        description: 'Whether to be formal. Ignored where the language does not know it.',
      },
    }),
    parameters: ['text', 'target', 'formal'],
    calls: [[{ text: 'Hello', target: 'de', formal: true }, ['Hello', 'de', true]]],
  },
  {
    name: 'sendMail',
    description: `Sends a mail from agent@example.com to somebody; see listContacts for who there is.

      Returns: The id of the mail.`,
    inputSchema: object({
      to: {
        type: 'string',
        description: 'The address, such as ada@example.com. Use listContacts to find it.',
      },
      subject: { type: 'string', description: 'One line.' },
      'copies?': { type: 'array', items: { type: 'string' }, description: 'Who else gets it.' },
    }),
    parameters: ['to', 'subject', 'copies'],
    calls: [
      [{ to: 'ada@example.com', subject: 'Hello' }, ['ada@example.com', 'Hello', undefined]],
      [{ to: 'ada@example.com', subject: 'Hello', copies: ['b'] }, ['ada@example.com', 'Hello', ['b']]],
    ],
  },
  {
    name: 'add',
    description: 'Returns: the sum',
    inputSchema: object({
      left: { type: 'number', description: 'the one' },
      right: { type: 'number', description: 'the other' },
    }),
    parameters: ['left', 'right'],
    calls: [[{ left: 1, right: -2 }, [1, -2]]],
  },
  {
    name: 'measureDistance',
    description: 'Measures how far it is.\n\nReturns: Kilometres.',
    inputSchema: object({
      origin: { ...object(place), description: 'A place on earth, in degrees.' },
      destination: {
        ...object({
          ...place,
          latitude: { type: 'number', description: 'Its latitude; the north is positive.' },
        }),
        description: 'Where to go.',
      },
    }),
    parameters: ['origin', 'destination'],
    calls: [
      [
        { origin: { latitude: 1, longitude: 2 }, destination: { latitude: 3, longitude: 4 } },
        [
          { latitude: 1, longitude: 2 },
          { latitude: 3, longitude: 4 },
        ],
      ],
    ],
  },
  {
    name: 'queryDatabase',
    description: `Runs a query on the sales database.

      Only \`SELECT\` is allowed. For example:

      \`\`\`sql SELECT name FROM customers \`\`\``,
    inputSchema: object({ sql: { type: 'string', description: 'The query.' } }),
    parameters: ['sql'],
    alsoSays: { after: ['ada'] },
    calls: [[{ sql: 'SELECT 1' }, ['SELECT 1', 'ada']]],
    refuses: [{ sql: 'SELECT 1', context: {} }],
  },
]
