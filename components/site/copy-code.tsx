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
  const [statusText, setStatusText] = useState('')
  useEffect(() => {
    if (statusText === '') return
    const timer = setTimeout(() => setStatusText(''), 2400)
    return () => clearTimeout(timer)
  }, [statusText])
  // Browsers offer a clipboard only on https and localhost. Elsewhere, the text can still be selected by hand.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setStatusText(texts.copied)
    } catch {
      setStatusText(texts.failed)
    }
  }
  const isCopied = statusText === texts.copied
  const Icon = isCopied ? Check : Copy
  return (
    <span className="relative inline-flex">
      <button
        type="button"
        aria-label={label}
        onClick={() => void copy()}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-second transition-colors hover:bg-hover hover:text-ink"
      >
        <Icon aria-hidden className={isCopied ? 'size-3.5 text-accent' : 'size-3.5'} />
      </button>
      <span
        role="status"
        className={
          statusText !== '' && !isCopied
            ? 'absolute top-8 right-0 z-10 w-56 rounded-md border bg-panel px-2.5 py-1.5 text-sm shadow-float'
            : 'sr-only'
        }
      >
        {statusText}
      </span>
    </span>
  )
}
