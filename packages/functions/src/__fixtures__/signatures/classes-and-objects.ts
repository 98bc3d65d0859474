/** A heater with a thermostat. */
export class Heater {
  readonly room: string

  constructor(room: string) {
    this.room = room
  }

  /**
   * Sets the temperature of the room.
   * @param degrees The temperature.
   * @param unit What the degrees are.
   */
  setTemperature(degrees: number, unit: 'celsius' | 'fahrenheit' = 'celsius'): unknown[] {
    return [this.room, degrees, unit]
  }

  /**
   * Lists the heaters of a building.
   * @param building The name of the building.
   */
  static async inBuilding(building: string): Promise<unknown[]> {
    return [building]
  }

  /**
   * Says how the heater does.
   * @param detail How much to tell.
   */
  report = (detail: 'short' | 'full'): unknown[] => [this.room, detail]
}

export const notebook = {
  /**
   * Adds a note.
   * @param text What to note.
   */
  addNote(text: string): unknown[] {
    return [text]
  },
  /**
   * Finds notes.
   * @param words What they must contain.
   */
  findNotes: async (words: string[]): Promise<unknown[]> => [words],
}

/**
 * Says what time it is somewhere.
 * @param zone The time zone, such as Europe/Oslo.
 */
export default function tellTime(zone: string): unknown[] {
  return [zone]
}

/**
 * Writes into the notebook of the room.
 * @param text What to write.
 */
export function writeDown(this: Heater, text: string): unknown[] {
  return [this.room, text]
}
