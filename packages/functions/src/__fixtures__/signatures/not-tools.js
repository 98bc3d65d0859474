/** Adds two values. */
export function addValues(left, right) {
  return [left, right]
}

/**
 * Calls back later.
 * @param {Function} callback What to call.
 */
export function callLater(callback) {
  return [callback]
}

/**
 * Opens a window.
 * @param {Windw} options How.
 */
export function openWindow(options) {
  return [options]
}
