import { signal } from '@preact/signals'
import { uploadFiles } from '../store/files.ts'
import { info } from '../store/server.ts'

/** Images that are sent with the next question. */
export const chosenImages = signal<readonly File[]>([])

const maxImages = 10
const imageTypes = /^image\/(?:png|jpeg|gif|webp)$/

/** Takes files that were chosen, dropped or pasted: images for the next question where the agent sees them, others to its files. */
export function addFiles(files: readonly File[]): void {
  const { accepts, caller } = info.value ?? {}
  const images = accepts?.images ? files.filter(({ type }) => imageTypes.test(type)) : []
  chosenImages.value = [...chosenImages.value, ...images].slice(0, maxImages)
  const others = files.filter((file) => !images.includes(file))
  if (others.length > 0 && caller?.upload) void uploadFiles(others)
}

export function removeImage(image: File): void {
  chosenImages.value = chosenImages.value.filter((one) => one !== image)
}
