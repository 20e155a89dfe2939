'use client'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'

/** The texts of a copy button, from the server, because the site loads no translations. */
export interface CopyTexts {
  copied: string
  failed: string
}

interface CopyCodeProps {
  text: string
  /** The accessible label, which names what is copied. */
  label: string
  texts: CopyTexts
}

/** Copies code to the clipboard and confirms that for a moment. Small, whereas the console's own copy button loads toasts. */
export function CopyCode({ text, label, texts }: CopyCodeProps) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), 2400)
    return () => clearTimeout(timer)
  }, [said])
  // Browsers offer a clipboard only on https and localhost. Elsewhere, the text can still be selected by hand.
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
