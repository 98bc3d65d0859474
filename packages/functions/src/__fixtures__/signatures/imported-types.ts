import type { ToolContext } from '@agentkit/core'
import type { ToolContext as Context } from '@agentkit/functions'
import type Sender from './shared-types.ts'
import type { Country, Parcel, PostalAddress as Address } from './shared-types.ts'
import type * as shared from './shared-types.ts'

/**
 * Sends a letter.
 * @param to Whom it goes to.
 * @param from Whom it comes from.
 * @param express Countries that it passes by plane.
 */
export function sendLetter(to: Address, from: Sender, express: Country[]): unknown[] {
  return [to, from, express]
}

/**
 * Sends a parcel.
 * @param parcel What to send.
 * @param weight With its box.
 * @param to
 */
export function sendParcel(
  parcel: Parcel<{ fragile: boolean }>,
  weight: shared.Grams,
  to: import('./shared-types.ts').Country,
): unknown[] {
  return [parcel, weight, to]
}

/**
 * Says where a parcel is.
 * @param id The number on the parcel.
 * @param context Left out of the schema.
 */
export async function trackParcel(id: string, context?: ToolContext): Promise<unknown[]> {
  return [id, context?.sessionId]
}

/** Says who is asking. */
export const whoAmI = (context: Context): unknown[] => [context.userId]
