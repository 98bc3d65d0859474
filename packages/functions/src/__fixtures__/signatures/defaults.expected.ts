import { type Expected, object } from './expected.ts'

export const defaults: Expected[] = [
  {
    name: 'getTransactionReceipt',
    description: `Fetches the receipt of a transaction.

      Returns: The receipt, or null if the transaction cannot be found.`,
    inputSchema: object({
      transactionHash: { type: 'string', description: 'The hash of the transaction, 0x-prefixed.' },
      'options?': object({
        'confirmations?': { type: 'number', description: 'How many blocks to wait for.' },
      }),
    }),
    parameters: ['transactionHash', 'options'],
    calls: [
      [{ transactionHash: '0x1' }, ['0x1', undefined]],
      [{ transactionHash: '0x1', options: {} }, ['0x1', {}]],
      [{ transactionHash: '0x1', options: { confirmations: 2 } }, ['0x1', { confirmations: 2 }]],
    ],
    refuses: [
      { options: {} },
      { transactionHash: '0x1', options: null },
      { transactionHash: '0x1', options: { blocks: 2 } },
    ],
  },
  {
    name: 'searchWeb',
    description: 'Searches the web.',
    inputSchema: object({
      query: { type: 'string', description: 'What to look for.' },
      'limit?': { type: 'integer', default: 10, description: 'How many results.' },
      'offset?': { type: 'number', default: -1, description: 'How many to leave out.' },
      'safe?': { type: 'boolean', default: true, description: 'Whether to leave out what is not for children.' },
      'language?': { type: 'string', default: 'en', description: 'The language of the pages.' },
    }),
    parameters: ['query', 'limit', 'offset', 'safe', 'language'],
    calls: [
      [{ query: 'tea' }, ['tea', 10, -1, true, 'en']],
      [{ query: 'tea', language: 'de', safe: false }, ['tea', 10, -1, false, 'de']],
      [{ query: 'tea', offset: 0, limit: 0 }, ['tea', 0, 0, true, 'en']],
    ],
    refuses: [
      { query: 'tea', limit: 1.5 },
      { query: 'tea', safe: null },
    ],
  },
  {
    name: 'fetchPage',
    description: 'Fetches a page.',
    inputSchema: object({
      url: { type: 'string', description: 'Where it is.' },
      'headers?': {
        type: 'object',
        additionalProperties: { type: 'string' },
        default: {},
        description: 'What to send along.',
      },
      'accept?': {
        type: 'array',
        items: { type: 'string' },
        default: ['text/html', 'text/plain'],
        description: 'The kinds to accept.',
      },
      'retry?': {
        ...object({ times: { type: 'number' }, statuses: { type: 'array', items: { type: 'number' } } }),
        default: { times: 3, statuses: [502, 503] },
        description: 'When to try again.',
      },
      'proxy?': { type: ['string', 'null'], default: null, description: 'Through which proxy.' },
    }),
    parameters: ['url', 'headers', 'accept', 'retry', 'proxy'],
    calls: [
      [
        { url: 'https://example.com' },
        ['https://example.com', {}, ['text/html', 'text/plain'], { times: 3, statuses: [502, 503] }, null],
      ],
      [
        { url: 'https://example.com', retry: { times: 0, statuses: [] }, proxy: 'local' },
        ['https://example.com', {}, ['text/html', 'text/plain'], { times: 0, statuses: [] }, 'local'],
      ],
    ],
    refuses: [{ url: 'https://example.com', retry: { times: 1 } }],
  },
  {
    name: 'awaitParcel',
    description: 'Waits for a parcel.',
    inputSchema: object({
      parcel: { type: 'string', description: 'The number of the parcel.' },
      'unit?': {
        type: 'string',
        enum: ['minutes', 'hours'],
        default: 'hours',
        description: 'What `atMost` counts.',
      },
      'atMost?': { type: 'number', default: 30, description: 'How long to wait.' },
      'since?': { type: 'string', format: 'date-time', description: 'From when on.' },
    }),
    parameters: ['parcel', 'unit', 'atMost', 'since'],
    ownDefaults: ['since'],
    calls: [
      [
        { parcel: 'p', unit: 'minutes', since: '2026-03-01T09:00:00Z' },
        ['p', 'minutes', 30, new Date('2026-03-01T09:00:00Z')],
      ],
    ],
    refuses: [{ parcel: 'p', unit: 'days' }],
  },
  {
    name: 'setVolume',
    description: 'Sets the volume of the music.',
    inputSchema: object({
      'room?': { type: 'string', description: 'In which room; everywhere when absent.' },
      volume: { type: 'number', description: 'From 0 to 10.' },
      'fade?': { type: 'number' },
    }),
    parameters: ['room', 'volume', 'fade'],
    calls: [
      [{ volume: 3 }, [undefined, 3, undefined]],
      [{ room: 'kitchen', volume: 3, fade: 1 }, ['kitchen', 3, 1]],
    ],
    refuses: [{ room: null, volume: 3 }, { room: 'kitchen' }],
  },
  {
    name: 'renameFile',
    description: 'Renames a file.',
    inputSchema: object({
      from: { type: 'string' },
      to: { type: 'string' },
      'overwrite?': {
        type: 'boolean',
        default: false,
        description: 'Whether a file of the new name may be lost.',
      },
    }),
    parameters: ['from', 'to', 'overwrite'],
    ownDefaults: ['overwrite'],
    calls: [
      [{ from: 'a', to: 'b' }, ['a', 'b', undefined]],
      [{ from: 'a', to: 'b', overwrite: true }, ['a', 'b', true]],
    ],
    refuses: [{ from: 'a', to: 'b', overwrite: 'yes' }],
  },
]
