/**
 * Sets what the thermostat does.
 * @param mode What it aims for.
 * @param target The temperature in degrees Celsius.
 */
export function setThermostat(mode: 'heat' | 'cool' | 'off', target: number): unknown[] {
  return [mode, target]
}

/**
 * Makes a larger copy of an image.
 * @param image The file name of the image.
 * @param factor How many times larger.
 */
export function enlarge(image: string, factor: 1 | 2 | 4): unknown[] {
  return [image, factor]
}

/**
 * Deletes the account for good.
 * @param confirmation The word that confirms it.
 * @param version The version of the terms that were agreed to.
 */
export function deleteAccount(confirmation: 'delete', version: 2): unknown[] {
  return [confirmation, version]
}

type Priority = 'low' | 'normal' | 'high'

/**
 * Assigns a ticket to somebody, or to nobody.
 * @param ticket The number of the ticket.
 * @integer
 * @param assignee The user name of the person; null for nobody.
 * @param priority Null takes the priority away.
 */
export function assignTicket(ticket: number, assignee: string | null, priority: Priority | null): unknown[] {
  return [ticket, assignee, priority]
}

/**
 * Finds an invoice.
 * @param key Its number, or the name of the customer.
 * @param years The year, or several.
 */
export function findInvoice(key: string | number, years: number | number[]): unknown[] {
  return [key, years]
}

/**
 * Sets how bright the screen is.
 * @param brightness A percentage, "auto" for what the sensor says, or whether it is on at all.
 */
export function setBrightness(brightness: number | 'auto' | boolean): unknown[] {
  return [brightness]
}

// @ts-expect-error: this repository erases types only; those who build their tools may use enums.
enum Severity {
  Info = 'info',
  Warning = 'warning',
  Critical = 'critical',
}

// @ts-expect-error: this repository erases types only; those who build their tools may use enums.
enum Level {
  Ground,
  First,
  Roof = 9,
}

/**
 * Raises an alarm in the building.
 * @param severity How bad it is.
 * @param level The floor that it is on.
 */
export function raiseAlarm(severity: Severity, level: Level): unknown[] {
  return [severity, level]
}

const roasts = ['light', 'medium', 'dark'] as const
const sizes = { small: 0.2, large: 0.4 } as const

/**
 * Orders coffee.
 * @param roast How dark the beans are.
 * @param size In litres.
 * @param name What to call out.
 */
export function orderCoffee(
  roast: (typeof roasts)[number],
  size: (typeof sizes)[keyof typeof sizes],
  name: 'guest' | (string & {}),
): unknown[] {
  return [roast, size, name]
}

type Circle = {
  kind: 'circle'
  /** In pixels. */
  radius: number
}
interface Rectangle {
  kind: 'rectangle'
  width: number
  height: number
}
type Shape = Circle | Rectangle

/**
 * Draws a shape onto the canvas.
 * @param shape What to draw.
 * @param next What to draw after it, if anything.
 */
export function drawShape(shape: Shape, next: Circle | null): unknown[] {
  return [shape, next]
}

/**
 * Plans a route.
 * @param stops Where to go: addresses, or coordinates.
 */
export function planRoute(stops: (string | { latitude: number; longitude: number })[]): unknown[] {
  return [stops]
}

type Recipient = { user: string; group?: never } | { group: number; user?: never }

/**
 * Sends a message to a user or to a group.
 * @param to Which of them.
 * @param urgent Only true is possible: others are sent by post.
 */
export function sendMessage(to: Recipient, urgent: true): unknown[] {
  return [to, urgent]
}
