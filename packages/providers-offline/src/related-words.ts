import { stem } from './tokens.ts'

/** Words that stand for one another when a message is compared with names. Kept few: a group must hold in any trade. */
const groups = [
  'sender from',
  'recipient to receiver',
  'price cost fee charge worth',
  'amount value quantity sum',
  'person people guest passenger party adult attendee participant seat',
  'transfer wire send pay payment',
  'weather forecast rain snow sunny cloudy hot cold warm umbrella',
  'temperature hot cold warm degree heat',
  'thermostat heating heat',
  'email mail',
  'compute calculate calculator calculation evaluate arithmetic math',
  'add plus sum total addition',
  'subtract minus difference subtraction',
  'multiply times product multiplication multiplied',
  'divide divided quotient division',
  'reserve reservation book booking',
  'remind reminder remember',
  'meeting appointment event calendar',
  'document doc documentation manual',
  'stock share ticker quote',
  'find search look lookup',
  'currency exchange money dollar euro pound yen',
  'delete remove erase',
  'define definition meaning mean',
  'distance far',
  'weight weigh heavy',
  'age old',
  'user customer client account',
  'translate translation',
  'toggle switch turn',
  'time clock hour',
  'random roll flip',
  'length long duration',
  'height tall high',
  'state status condition',
  'create make new',
  'language tongue',
  'order purchase',
  'package parcel shipment delivery deliver arrive',
  'photo picture image',
  'city town',
  'fly flight',
  'recipe cook meal dish',
  'movie film',
  'song music track tune',
  'vacation holiday leave',
  'employee staff worker colleague',
  'note memo',
  'timer alarm countdown',
  'light lamp bulb',
  'score result match game',
  'route direction navigate map drive walk',
  'news headline article',
  'todo task',
  'ticket issue bug',
  'folder directory',
  'buy purchase order',
  'call phone dial',
  'summarize summary shorten',
  'nearby near close around',
] as const

const related = new Map<string, Set<string>>()
for (const group of groups) {
  const stems = group.split(' ').map(stem)
  for (const word of stems) {
    const others = related.get(word) ?? new Set()
    for (const other of stems) others.add(other)
    related.set(word, others)
  }
}

/** Whether two stems are the same word or stand for one another. */
export function areRelated(a: string, b: string): boolean {
  return a === b || (related.get(a)?.has(b) ?? false)
}

/** The stem and those that stand for it. */
export function relatedStems(word: string): readonly string[] {
  return [...(related.get(word) ?? [word])]
}
