import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A field with its name above it. */
export function Field({ label, children }: { label: string; children(id: string): ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}
