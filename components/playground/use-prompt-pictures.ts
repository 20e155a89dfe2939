'use client'
import { useRef, useState } from 'react'
import type { Prompt } from './chat-types.ts'
import { joinPictures, type PictureFault, readPictures } from './pictures.ts'

/** Adds pictures to a prompt, and takes them away again; `fault` is why one of those that came last was left out. */
export function usePromptPictures(prompt: Prompt, onChange: (change: (before: Prompt) => Prompt) => void) {
  const [fault, setFault] = useState<PictureFault | null>(null)
  const latest = useRef(prompt)
  latest.current = prompt
  // Reading takes a while, in which the prompt may be typed on, or sent.
  const join = async (files: readonly File[]) => {
    const read = await readPictures(files)
    setFault(read.fault ?? joinPictures(latest.current.pictures, read.pictures).fault)
    onChange((now) => ({ ...now, pictures: joinPictures(now.pictures, read.pictures).pictures }))
  }
  return {
    fault,
    // A list of a field or of the clipboard is empty by the time that its first file is read.
    add: (files: Iterable<File>) => void join([...files]),
    remove: (id: string) => onChange((now) => ({ ...now, pictures: now.pictures.filter((each) => each.id !== id) })),
  }
}
