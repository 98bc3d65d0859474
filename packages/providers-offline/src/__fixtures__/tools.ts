import type { JSONSchema, ToolSpec } from '@agentkit/core'

function spec(name: string, description: string, properties: Record<string, JSONSchema>, required?: string[]): ToolSpec {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required: required ?? Object.keys(properties), additionalProperties: false },
  }
}

const text = { type: 'string' }
const number = { type: 'number' }

/** Tools of many trades, as people write them. */
export const officeTools: ToolSpec[] = [
  spec('getWeather', 'Get the current weather in a city.', {
    city: { type: 'string', description: 'City name, e.g. Paris' },
    units: { type: 'string', enum: ['metric', 'imperial'] },
  }, ['city']),
  spec('convert_currency', 'Convert an amount of money from one currency to another.', {
    amount: number,
    from: { type: 'string', description: 'Source currency code', pattern: '^[A-Z]{3}$' },
    to: { type: 'string', description: 'Target currency code', pattern: '^[A-Z]{3}$' },
  }),
  spec('sendEmail', 'Send an email to a recipient.', {
    to: { type: 'string', format: 'email', description: 'Address of the recipient' },
    subject: { type: 'string', description: 'Subject line' },
    body: text,
    cc: { type: 'array', items: { type: 'string', format: 'email' } },
  }, ['to', 'subject', 'body']),
  spec('createReminder', 'Create a reminder for a date.', {
    text: { type: 'string', description: 'What to be reminded of' },
    date: { type: 'string', format: 'date' },
  }),
  spec('search_docs', 'Search the product documentation.', {
    query: { type: 'string', description: 'What to search for' },
    limit: { type: 'integer', minimum: 1, maximum: 50 },
  }, ['query']),
  spec('calculator', 'Evaluate an arithmetic expression.', { expression: { type: 'string', description: 'For example 2 + 3 * 4' } }),
  spec('getTransactionReceipt', 'Get the receipt of a transaction by its hash.', {
    transactionHash: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
  }),
  spec('stockPrice', 'Latest share price of a listed company.', { symbol: { type: 'string', description: 'Ticker symbol such as AAPL' } }),
  spec('translate_text', 'Translate text into another language.', {
    text: { type: 'string', description: 'Text to translate' },
    targetLanguage: { type: 'string', description: 'Language to translate to' },
  }),
  spec('convertTemperature', 'Convert a temperature between scales.', {
    value: number,
    from: { type: 'string', enum: ['celsius', 'fahrenheit', 'kelvin'] },
    to: { type: 'string', enum: ['celsius', 'fahrenheit', 'kelvin'] },
  }),
  spec('bookTable', 'Book a table at a restaurant.', {
    restaurant: text,
    people: { type: 'integer', minimum: 1 },
    date: { type: 'string', format: 'date' },
    time: { type: 'string', description: 'HH:MM', pattern: '^\\d{2}:\\d{2}$' },
  }, ['people', 'date', 'time']),
  spec('listFiles', 'List files in a folder.', {
    folder: { type: 'string', description: 'Path of the folder' },
    extension: { type: 'string', enum: ['pdf', 'txt', 'csv', 'md'] },
    recursive: { type: 'boolean' },
  }, ['folder']),
  spec('toggleDevice', 'Turn a device on or off.', { device: { type: 'string', description: 'Name of the device' }, on: { type: 'boolean' } }),
  spec('current_time', 'The current time in a time zone.', { timeZone: { type: 'string', description: 'IANA time zone' } }),
  spec('average', 'The average of a list of numbers.', { numbers: { type: 'array', items: number, minItems: 1 } }),
  spec('findFlights', 'Find flights between two cities.', {
    origin: text,
    destination: text,
    date: { type: 'string', format: 'date' },
    passengers: { type: 'integer' },
  }, ['origin', 'destination', 'date']),
  spec('track_order', 'Track the delivery of an order.', { orderId: { type: 'string', description: 'Number of the order' } }),
  spec('random_number', 'Give a random number between two bounds.', { min: { type: 'integer' }, max: { type: 'integer' } }),
  spec('createUser', 'Create a user account.', {
    user: { type: 'object', properties: { name: text, email: { type: 'string', format: 'email' }, age: { type: 'integer' } }, required: ['name', 'email'] },
    role: { type: 'string', enum: ['admin', 'editor', 'viewer'], default: 'viewer' },
  }, ['user']),
]

export const homeTools: ToolSpec[] = [
 {name:'get_movie_showtimes',description:'Look up showtimes for a movie at a cinema near a location.',inputSchema:{type:'object',properties:{movie:{type:'string',description:'Movie title'},location:{type:'string',description:'City or zip code'},date:{type:'string',format:'date'}},required:['movie','location']}},
 {name:'addTodo',description:'Adds an item to the to-do list.',inputSchema:{type:'object',properties:{title:{type:'string'},priority:{type:'string',enum:['low','medium','high']},done:{type:'boolean'}},required:['title']}},
 {name:'rollDice',description:'Roll dice and return the sum.',inputSchema:{type:'object',properties:{count:{type:'integer',minimum:1,description:'How many dice'},sides:{type:'integer',minimum:2,description:'Number of sides of each die'}},required:['count','sides']}},
 {name:'multiply',description:'Multiplies two numbers',inputSchema:{type:'object',properties:{a:{type:'number'},b:{type:'number'}},required:['a','b']}},
 {name:'add',description:'Adds two numbers',inputSchema:{type:'object',properties:{a:{type:'number'},b:{type:'number'}},required:['a','b']}},
 {name:'lookupUser',description:'Find a user by email address.',inputSchema:{type:'object',properties:{email:{type:'string',format:'email'}},required:['email']}},
 {name:'get_balance',description:'Returns the token balance of a wallet address',inputSchema:{type:'object',properties:{address:{type:'string',pattern:'^0x[a-fA-F0-9]{40}$'},network:{type:'string',enum:['mainnet','sepolia'],default:'mainnet'}},required:['address']}},
 {name:'fetchUrl',description:'Download a web page.',inputSchema:{type:'object',properties:{url:{type:'string',format:'uri'}},required:['url']}},
 {name:'define_word',description:'Get the dictionary definition of a word.',inputSchema:{type:'object',properties:{word:{type:'string'}},required:['word']}},
 {name:'play_song',description:'Play a song by an artist on the speaker.',inputSchema:{type:'object',properties:{song:{type:'string'},artist:{type:'string'},volume:{type:'number',minimum:0,maximum:100}},required:['song']}},
 {name:'setThermostat',description:'Set the thermostat of a room to a temperature in degrees.',inputSchema:{type:'object',properties:{room:{type:'string'},temperature:{type:'number'}},required:['room','temperature']}},
 {name:'count_words',description:'Count the words in a text.',inputSchema:{type:'object',properties:{text:{type:'string'}},required:['text']}},
 {name:'transferMoney',description:'Transfer money between accounts.',inputSchema:{type:'object',properties:{amount:{type:'number',exclusiveMinimum:0},currency:{type:'string',enum:['USD','EUR','GBP']},recipient:{type:'string'},memo:{anyOf:[{type:'string'},{type:'null'}]}},required:['amount','currency','recipient']}},
 {name:'distance',description:'Distance between two places in kilometers.',inputSchema:{type:'object',properties:{from:{type:'string'},to:{type:'string'},unit:{type:'string',enum:['km','miles']}},required:['from','to']}},
 {name:'get_recipe',description:'Find a recipe by its ingredients.',inputSchema:{type:'object',properties:{ingredients:{type:'array',items:{type:'string'}},maxMinutes:{type:'integer',description:'Longest cooking time in minutes'},vegetarian:{type:'boolean'}},required:['ingredients']}},
 {name:'resolve_ip',description:'Geolocate an IP address',inputSchema:{type:'object',properties:{ip:{type:'string',format:'ipv4'}},required:['ip']}},
 {name:'scheduleMeeting',description:'Schedule a meeting with attendees.',inputSchema:{type:'object',properties:{title:{type:'string'},start:{type:'string',format:'date-time'},durationMinutes:{type:'integer'},attendees:{type:'array',items:{type:'string',format:'email'}}},required:['start','attendees']}},
 {name:'getHoliday',description:'Public holidays of a country in a year',inputSchema:{type:'object',properties:{countryCode:{type:'string',enum:['US','DE','FR','GB']},year:{type:'integer',minimum:1900,maximum:2100}},required:['countryCode','year']}},
 {name:'bmi',description:'Computes the body mass index.',inputSchema:{type:'object',properties:{weightKg:{type:'number',description:'weight in kg'},heightCm:{type:'number',description:'height in cm'}},required:['weightKg','heightCm']}},
 {name:'cancelSubscription',description:'Cancel a customer subscription',inputSchema:{type:'object',properties:{subscriptionId:{type:'string',format:'uuid'}},required:['subscriptionId']}},
]

export const shopTools: ToolSpec[] = [
 {name:'book_ride',description:'Order a taxi from a pickup point to a drop-off point.',inputSchema:{type:'object',properties:{pickup:{type:'string',description:'Where the ride starts'},dropoff:{type:'string',description:'Where the ride ends'},passengers:{type:'integer',minimum:1,maximum:6},time:{type:'string',description:'Pickup time, HH:MM'}},required:['pickup','dropoff']}},
 {name:'getExchangeRate',description:'Get the exchange rate between two currencies',inputSchema:{type:'object',properties:{base:{type:'string',description:'Base currency, ISO code'},quote:{type:'string',description:'Quote currency, ISO code'}},required:['base','quote']}},
 {name:'create_ticket',description:'Open a support ticket for a customer problem.',inputSchema:{type:'object',properties:{title:{type:'string'},severity:{type:'string',enum:['low','normal','urgent']},customerEmail:{type:'string',format:'email'}},required:['title','severity']}},
 {name:'lookup_zip',description:'Look up the city that belongs to a US zip code.',inputSchema:{type:'object',properties:{zip:{type:'string',pattern:'^\\d{5}$'}},required:['zip']}},
 {name:'isPrime',description:'Tell whether an integer is a prime number',inputSchema:{type:'object',properties:{n:{type:'integer'}},required:['n']}},
 {name:'nutrition',description:'Calories and nutrients of a food.',inputSchema:{type:'object',properties:{food:{type:'string'},grams:{type:'number'}},required:['food']}},
 {name:'hashText',description:'Compute a hash of a text.',inputSchema:{type:'object',properties:{text:{type:'string'},algorithm:{type:'string',enum:['md5','sha1','sha256']}},required:['text','algorithm']}},
 {name:'sort_numbers',description:'Sort a list of numbers ascending or descending.',inputSchema:{type:'object',properties:{numbers:{type:'array',items:{type:'number'}},descending:{type:'boolean'}},required:['numbers']}},
 {name:'get_news',description:'Latest news headlines about a topic.',inputSchema:{type:'object',properties:{topic:{type:'string'},count:{type:'integer',default:5}},required:['topic']}},
 {name:'ship_package',description:'Ship a package to an address.',inputSchema:{type:'object',properties:{weight:{type:'number',description:'Weight in kg'},address:{type:'object',properties:{street:{type:'string'},city:{type:'string'},country:{type:'string'}},required:['city','country']}},required:['weight','address']}},
 {name:'invoice_status',description:'Status of an invoice',inputSchema:{type:'object',properties:{invoiceNumber:{type:'string'}},required:['invoiceNumber']}},
 {name:'loan_payment',description:'Monthly payment of a loan',inputSchema:{type:'object',properties:{principal:{type:'number'},rate:{type:'number',description:'Yearly interest rate in percent'},years:{type:'integer'}},required:['principal','rate','years']}},
]

export const studioTools: ToolSpec[] = [
 spec('get_air_quality','Return the air quality index of a city.',{city:{type:'string'}},['city']),
 spec('createCalendarEvent','Create an event in the calendar',{title:{type:'string'},date:{type:'string',format:'date'},startTime:{type:'string',description:'24 hour HH:MM'},location:{type:'string'}},['title','date']),
 spec('searchProducts','Search the shop for products',{query:{type:'string'},maxPrice:{type:'number'},category:{type:'string',enum:['books','toys','electronics']},inStock:{type:'boolean'}},['query']),
 spec('get_order_status','Check the status of a customer order',{order_id:{type:'string',description:'The order number'}},['order_id']),
 spec('tip_calculator','Calculate the tip for a bill',{bill:{type:'number'},percent:{type:'number',description:'Tip percentage'}},['bill','percent']),
 spec('send_sms','Send a text message to a phone number',{phone:{type:'string'},message:{type:'string'}},['phone','message']),
 spec('square_root','Square root of a number',{x:{type:'number',minimum:0}},['x']),
 spec('whois','Look up who owns a domain',{domain:{type:'string',description:'Domain name such as example.com'}},['domain']),
 spec('addContact','Add a person to the address book',{name:{type:'string'},email:{type:'string',format:'email'},phone:{type:'string'}},['name']),
 spec('power','Raise a base to an exponent',{base:{type:'number'},exponent:{type:'number'}},['base','exponent']),
 spec('days_between','Number of days between two dates',{start:{type:'string',format:'date'},end:{type:'string',format:'date'}},['start','end']),
 spec('setLight','Set brightness and color of a lamp',{lamp:{type:'string'},brightness:{type:'integer',minimum:0,maximum:100},color:{type:'string',enum:['red','green','blue','white']}},['lamp']),
 spec('getPopulation','Population of a country',{country:{type:'string'}},['country']),
 spec('reverse_string','Reverse a string',{input:{type:'string'}},['input']),
 spec('github_issue','Open an issue in a GitHub repository',{repo:{type:'string',description:'owner/name'},title:{type:'string'},labels:{type:'array',items:{type:'string'}}},['repo','title']),
]

/** Tools that are like one another, read or change something, and describe their arguments by example. */
export const deskTools: ToolSpec[] = [
  spec('getOrderStatus', 'Looks up the status of an order by its order number.', {
    orderId: { type: 'string', description: 'The order number, like ORD-12345' },
  }),
  spec('cancelOrder', 'Cancels an order. This cannot be undone.', {
    orderId: { type: 'string', description: 'The order number' },
    reason: { type: 'string', description: 'Why the customer cancels' },
  }, ['orderId']),
  spec('listProducts', 'Lists the products in a category, optionally below a price.', {
    category: { type: 'string', enum: ['books', 'electronics', 'toys', 'garden'] },
    maxPrice: { type: 'number', description: 'Highest price' },
  }, ['category']),
  spec('change_money', 'Convert an amount of money from one currency to another.', {
    amount: { type: 'number', description: 'Amount to convert' },
    from: { type: 'string', description: 'ISO code of the source currency, e.g. USD' },
    to: { type: 'string', description: 'ISO code of the target currency, e.g. EUR' },
  }),
  spec('calculate', 'Evaluate an arithmetic expression.', { expression: { type: 'string', description: 'The expression, such as 2 + 2 * 3' } }),
  spec('unit-convert', 'Converts a measurement between units (length, mass, volume, temperature).', {
    value: number,
    from_unit: { type: 'string', description: 'Unit to convert from' },
    to_unit: { type: 'string', description: 'Unit to convert to' },
  }),
  spec('set_light', 'Turn a light on or off and set its brightness.', {
    room: { type: 'string', description: 'Which room' },
    on: { type: 'boolean', description: 'true to switch on, false to switch off' },
    brightness: { type: 'integer', minimum: 0, maximum: 100 },
  }, ['room', 'on']),
  spec('translate_text', 'Translate text into another language.', {
    text: { type: 'string', description: 'Text to translate' },
    target: { type: 'string', description: 'Code of the language to translate into, such as fr' },
  }),
  spec('search_docs', 'Search the documentation and return matching passages.', {
    query: { type: 'string', description: 'What to search for' },
    limit: { type: 'integer', description: 'Maximum number of results' },
  }, ['query']),
  spec('upload_file', 'Upload a local file to cloud storage.', {
    path: { type: 'string', description: 'Path of the local file' },
    bucket: { type: 'string', description: 'Target bucket' },
  }),
  spec('createTask', 'Creates a task in the project tracker.', {
    title: { type: 'string', description: 'What has to be done' },
    assignee: { type: 'string', description: 'Who does it' },
    due: { type: 'string', format: 'date' },
  }, ['title']),
  spec('listTasks', 'Lists tasks of the project tracker.', {
    assignee: { type: 'string', description: 'Only tasks of this person' },
    status: { type: 'string', enum: ['open', 'done'] },
  }, []),
]
