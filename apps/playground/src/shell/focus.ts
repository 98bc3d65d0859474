/** Moves the focus to the message field, after the control that had it was removed. */
export function focusMessage(): void {
  document.getElementById('message')?.focus()
}

/** Whether the control that had the focus was removed. */
export function isFocusLost(): boolean {
  const { activeElement } = document
  return !activeElement || activeElement === document.body || activeElement.matches(':disabled')
}
