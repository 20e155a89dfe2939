'use client'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** The words of a copy button, from the server: the site loads no translations. */
export interface CopyTexts {
  copied: string
  failed: string
}

interface CopyCodeProps {
  text: string
  /** Names the button: what is copied. */
  label: string
  texts: CopyTexts
}

/** Puts code on the clipboard and says so for a moment. The console's own copy button brings toasts; this one is light. */
export function CopyCode({ text, label, texts }: CopyCodeProps) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), 2400)
    return () => clearTimeout(timer)
  }, [said])
  // Outside of https and localhost a browser has no clipboard; the text can still be selected by hand.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid(texts.copied)
    } catch {
      setSaid(texts.failed)
    }
  }
  const done = said === texts.copied
  const Sign = done ? Check : Copy
  return (
    <span className="relative inline-flex">
      <button
        type="button"
        aria-label={label}
        onClick={() => void copy()}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-second transition-colors hover:bg-hover hover:text-ink"
      >
        <Sign aria-hidden className={done ? 'size-3.5 text-accent' : 'size-3.5'} />
      </button>
      <span
        role="status"
        className={
          said !== '' && !done
            ? 'absolute top-8 right-0 z-10 w-56 rounded-md border bg-panel px-2.5 py-1.5 text-sm shadow-float'
            : 'sr-only'
        }
      >
        {said}
      </span>
    </span>
  )
}
