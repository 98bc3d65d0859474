/**
 * Says when the sun rises.
 * @param city In which city.
 */
export default (city: string): unknown[] => [city]
