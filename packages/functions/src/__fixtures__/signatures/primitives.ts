/**
 * Converts an amount of money from one currency to another at today's rate.
 * @param amount The amount to convert.
 * @param from The currency of the amount, as an ISO 4217 code.
 * @param to The currency to convert to, as an ISO 4217 code.
 * @returns The converted amount, rounded to cents.
 */
export async function convertCurrency(amount: number, from: string, to: string): Promise<unknown[]> {
  return [amount, from, to]
}

/**
 * Switches a lamp on or off.
 * @param lamp The name of the lamp, as `listLamps` gives it.
 * @param on Whether it is to burn.
 */
export function switchLamp(lamp: string, on: boolean): unknown[] {
  return [lamp, on]
}

/** Says which devices are connected right now. */
export function listDevices(): unknown[] {
  return []
}

/**
 * Rolls dice and adds them up.
 * @param count How many dice to roll.
 * @integer
 * @minimum 1
 * @maximum 100
 * @param sides How many sides each of them has.
 * @integer
 * @minimum 2
 * @returns The sum.
 */
export const rollDice = (count: number, sides: number): unknown[] => [count, sides]

/** Opens a port of this machine to the local network. */
export function openPort(
  /**
   * The port to open.
   * @integer
   * @minimum 1
   * @maximum 65535
   */
  port: number,
  /** How long it stays open, in minutes. */
  minutes: number,
  /** @integer */ connections: number,
): unknown[] {
  return [port, minutes, connections]
}

/** @integer */
type Port = number

/**
 * Forwards a local port to a remote one.
 * @param local The port on this machine.
 * @param remote The port on the other machine.
 * @param {integer} attempts How often to try.
 */
export function forwardPort(local: Port, remote: Port, attempts: number): unknown[] {
  return [local, remote, attempts]
}

/**
 * Invites somebody to the workspace.
 *
 * @param email Where the invitation goes.
 * @format email
 * @param code The code of the team.
 * @pattern ^[A-Z]{3}-[0-9]{4}$
 * @param greeting A few words of welcome.
 * @minLength 1
 * @maxLength 200
 */
export async function inviteMember(email: string, code: string, greeting: string): Promise<unknown[]> {
  return [email, code, greeting]
}

/**
 * Pays out a refund.
 * @param amount In euros.
 * @exclusiveMinimum 0
 * @exclusiveMaximum 10000
 * @multipleOf 0.5
 * @param reference The number of the order.
 * @asType integer
 */
export function refund(amount: number, reference: number): unknown[] {
  return [amount, reference]
}

/**
 * Tags a photo, replacing the tags that it has.
 * @param photoId The id of the photo.
 * @param tags The new tags.
 * @minItems 1
 * @maxItems 5
 * @uniqueItems
 * @param ratings One from each reviewer.
 */
export function tagPhoto(photoId: string, tags: string[], ratings: readonly number[]): unknown[] {
  return [photoId, tags, ratings]
}

/**
 * Multiplies two matrices.
 * @param left The rows of the left matrix.
 * @param right The rows of the right matrix.
 */
export function multiplyMatrices(left: number[][], right: ReadonlyArray<Array<number>>): unknown[] {
  return [left, right]
}

/**
 * Assigns the ports of a machine.
 * @param main The port of the main service; null takes it off the net.
 * @param others By service.
 */
export function assignPorts(main: Port | null, others: Record<string, Port>): unknown[] {
  return [main, others]
}
