import { type Expected, type Matching, object } from './expected.ts'

const color: Matching = { matches: ['#', '#ff8800'], doesNotMatch: ['', 'ff8800', ' #ff8800'] }

export const generics: Expected[] = [
  {
    name: 'sortArticles',
    description: 'Sorts the articles of the front page.',
    inputSchema: object({
      by: { type: 'string', enum: ['id', 'title', 'published', 'views'], description: 'What to sort by.' },
      direction: { type: 'string', enum: ['up', 'down'], description: 'Which way.' },
    }),
    parameters: ['by', 'direction'],
    calls: [[{ by: 'views', direction: 'down' }, ['views', 'down']]],
    refuses: [{ by: 'author', direction: 'down' }],
  },
  {
    name: 'saveArticles',
    description: 'Saves articles.',
    inputSchema: object({
      articles: {
        type: 'array',
        items: object({ id: { type: 'string' }, title: { type: 'string' } }),
        description: 'The articles, new or changed.',
      },
    }),
    parameters: ['articles'],
    calls: [[{ articles: [{ id: '1', title: 'One' }] }, [[{ id: '1', title: 'One' }]]]],
    refuses: [{ articles: [{ id: '1' }] }],
  },
  {
    name: 'changeArticle',
    description: 'Changes an article.',
    inputSchema: object({
      id: { type: 'string', description: 'Which one.' },
      changes: {
        ...object({
          'title?': { type: 'string' },
          'published?': { type: 'boolean', description: 'Whether readers see it.' },
        }),
        description: 'What is to be different.',
      },
      preview: {
        ...object({
          title: { type: 'string' },
          published: { type: 'boolean', description: 'Whether readers see it.' },
        }),
        description: 'How the reader sees it.',
      },
    }),
    parameters: ['id', 'changes', 'preview'],
    calls: [
      [
        { id: '1', changes: {}, preview: { title: 'One', published: true } },
        ['1', {}, { title: 'One', published: true }],
      ],
    ],
    refuses: [
      { id: '1', changes: { views: 5 }, preview: { title: 'One', published: true } },
      { id: '1', changes: {}, preview: { title: 'One' } },
    ],
  },
  {
    name: 'subscribe',
    description: 'Subscribes to what readers do.',
    inputSchema: object({
      events: {
        type: 'array',
        items: { type: 'string', enum: ['view', 'share'] },
        description: 'Which events to hear of.',
      },
      share: {
        ...object({ type: { type: 'string', const: 'share' }, network: { type: 'string' } }),
        description: 'A share to begin with.',
      },
      channel: { type: 'string', enum: ['mail', 'push', 'letter'], description: 'How to be told.' },
      fallback: {
        ...object({ 'channel?': { type: 'string', enum: ['push', 'letter'] } }),
        description: 'How to be told when that fails.',
      },
    }),
    parameters: ['events', 'share', 'channel', 'fallback'],
    calls: [
      [
        { events: ['view'], share: { type: 'share', network: 'a' }, channel: 'push', fallback: {} },
        [['view'], { type: 'share', network: 'a' }, 'push', {}],
      ],
    ],
    refuses: [{ events: ['leave'], share: { type: 'share', network: 'a' }, channel: 'push', fallback: {} }],
  },
  {
    name: 'setHours',
    description: 'Sets the opening hours of the weekend.',
    inputSchema: object({
      hours: {
        ...object({ saturday: { type: 'string' }, sunday: { type: 'string' } }),
        description: 'For each day, such as "9-17".',
      },
      staff: {
        ...object({ saturday: { type: 'number' }, sunday: { type: 'number' } }),
        description: 'How many people work, for each day.',
      },
      notes: {
        ...object({ 'saturday?': { type: 'string' }, 'sunday?': { type: 'string' } }),
        description: 'For the days that need one.',
      },
    }),
    parameters: ['hours', 'staff', 'notes'],
    calls: [
      [
        { hours: { saturday: '9-17', sunday: '' }, staff: { saturday: 2, sunday: 0 }, notes: { sunday: 'closed' } },
        [{ saturday: '9-17', sunday: '' }, { saturday: 2, sunday: 0 }, { sunday: 'closed' }],
      ],
    ],
    refuses: [{ hours: { saturday: '9-17' }, staff: { saturday: 2, sunday: 0 }, notes: {} }],
  },
  {
    name: 'compareProfiles',
    description: 'Compares two profiles.',
    inputSchema: object({
      profile: { ...object({ nick: { type: 'string' }, age: { type: 'number' } }), description: 'The one.' },
      others: { type: 'array', items: { type: 'string' }, description: 'The ids of the others.' },
      nickname: { type: 'string', description: 'Another name for the first.' },
    }),
    parameters: ['profile', 'others', 'nickname'],
    calls: [
      [
        { profile: { nick: 'ada', age: 36 }, others: ['b'], nickname: 'countess' },
        [{ nick: 'ada', age: 36 }, ['b'], 'countess'],
      ],
    ],
    refuses: [{ profile: { nick: 'ada' }, others: [], nickname: 'countess' }],
  },
  {
    name: 'showPage',
    description: 'Shows a page of a list.',
    inputSchema: object({
      page: {
        ...object({
          entries: { type: 'array', items: object({ label: { type: 'string' } }) },
          'next?': { type: 'string' },
        }),
        description: 'The page.',
      },
      counts: {
        ...object({ entries: { type: 'array', items: { type: 'number' } }, 'next?': { type: 'number' } }),
        description: 'One with numbers.',
      },
    }),
    parameters: ['page', 'counts'],
    calls: [
      [
        { page: { entries: [{ label: 'a' }], next: 'b' }, counts: { entries: [1] } },
        [{ entries: [{ label: 'a' }], next: 'b' }, { entries: [1] }],
      ],
    ],
    refuses: [{ page: { entries: [], next: 2 }, counts: { entries: [] } }],
  },
  {
    name: 'paint',
    description: 'Paints the background.',
    inputSchema: object({
      color: { type: 'string', pattern: color, description: 'A colour, such as #ff8800.' },
      width: {
        anyOf: [
          { type: 'string', pattern: { matches: ['2px', '-1.5px'], doesNotMatch: ['px', 'wide', '2px ', '2%'] } },
          { type: 'string', pattern: { matches: ['50%', '0.5%'], doesNotMatch: ['%', '50', '2px'] } },
        ],
        description: 'How wide.',
      },
      corner: {
        type: 'string',
        enum: ['top-left', 'top-right', 'bottom-left', 'bottom-right'],
        description: 'Where to begin.',
      },
    }),
    parameters: ['color', 'width', 'corner'],
    calls: [[{ color: '#ff8800', width: '50%', corner: 'top-left' }, ['#ff8800', '50%', 'top-left']]],
    refuses: [
      { color: 'ff8800', width: '50%', corner: 'top-left' },
      { color: '#ff8800', width: 'wide', corner: 'top-left' },
      { color: '#ff8800', width: '50%', corner: 'left-top' },
    ],
  },
  {
    name: 'charge',
    description: 'Charges a user.',
    inputSchema: object({
      user: { type: 'string', description: 'Who pays.' },
      amount: { type: 'number', description: 'How much.' },
      currency: { type: 'string', enum: ['EUR', 'USD'], description: 'In which currency.' },
    }),
    parameters: ['user', 'amount', 'currency'],
    calls: [[{ user: 'u1', amount: 250, currency: 'EUR' }, ['u1', 250, 'EUR']]],
    refuses: [{ user: 'u1', amount: 250, currency: 'eur' }],
  },
  {
    name: 'changeSettings',
    description: 'Changes the settings of the editor.',
    inputSchema: object({
      settings: {
        ...object({
          theme: { type: 'string' },
          fontSize: { type: 'number' },
          ruler: { type: 'array', items: { type: 'number' } },
        }),
        description: 'All of them.',
      },
      only: {
        type: 'array',
        items: { type: 'string', enum: ['theme', 'fontSize', 'ruler'] },
        description: 'Which of them to store.',
      },
    }),
    parameters: ['settings', 'only'],
    calls: [
      [
        { settings: { theme: 'light', fontSize: 12, ruler: [] }, only: ['theme'] },
        [{ theme: 'light', fontSize: 12, ruler: [] }, ['theme']],
      ],
    ],
    refuses: [{ settings: { theme: 'light', fontSize: 12, ruler: [] }, only: ['color'] }],
  },
]
