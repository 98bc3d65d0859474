import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type DisclosureProps = {
  class: string
  /** The content of the button. */
  summary: ComponentChildren
  onToggle?(isOpen: boolean): void
  children: ComponentChildren
}

/** A button that shows and hides what belongs to it. */
export function Disclosure({ class: name, summary, onToggle, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(false)
  const toggle = (): void => {
    setOpen(!isOpen)
    onToggle?.(!isOpen)
  }
  return (
    <div class={name}>
      <button type="button" class="plain disclosure" aria-expanded={isOpen} onClick={toggle}>
        {summary}
      </button>
      {isOpen && children}
    </div>
  )
}
