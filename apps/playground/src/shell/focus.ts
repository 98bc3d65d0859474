/** Moves the focus to the field for messages, where a reader continues whose control has gone. */
export function focusMessage(): void {
  document.getElementById('message')?.focus()
}

/** Whether the control that had the focus has gone. */
export function isFocusLost(): boolean {
  const { activeElement } = document
  return !activeElement || activeElement === document.body || activeElement.matches(':disabled')
}
