'use client'
import { useRef, useState } from 'react'
import type { Prompt } from './chat-types.ts'
import { type ImageFault, joinImages, readImageFiles } from './prompt-images.ts'

/** Adds images to a prompt and removes them. `fault` says why one of the images that were added last was left out. */
export function usePromptImages(prompt: Prompt, onChange: (change: (before: Prompt) => Prompt) => void) {
  const [fault, setFault] = useState<ImageFault | null>(null)
  const latest = useRef(prompt)
  latest.current = prompt
  // Reading takes a while. In the meantime the prompt may be edited or sent.
  const addFiles = async (files: readonly File[]) => {
    const read = await readImageFiles(files)
    setFault(read.fault ?? joinImages(latest.current.pictures, read.pictures).fault)
    onChange((now) => ({ ...now, pictures: joinImages(now.pictures, read.pictures).pictures }))
  }
  return {
    fault,
    // Copied, because the file list of an input or the clipboard is empty by the time its first file has been read.
    add: (files: Iterable<File>) => void addFiles([...files]),
    remove: (id: string) => onChange((now) => ({ ...now, pictures: now.pictures.filter((each) => each.id !== id) })),
  }
}
