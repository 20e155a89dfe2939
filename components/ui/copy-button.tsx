'use client'
import { Check, Copy } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { cn } from '../cn.ts'
import { toast } from '../toast.ts'
import { Button } from './button.tsx'

interface CopyButtonProps {
  text: string
  /** The accessible label, which names what is copied. */
  label: string
  /** Text next to the icon. Without it there is only the icon. */
  children?: string
  tone?: 'plain' | 'primary' | 'ghost'
  className?: string
}

/** Copies text to the clipboard and confirms that for a moment. */
export function CopyButton({ text, label, children, tone = 'ghost', className }: CopyButtonProps) {
  const t = useTranslations('common')
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  // Browsers offer a clipboard only on https and localhost. Elsewhere, the text can still be selected by hand.
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      toast.error(t('copyFailed'))
    }
  }
  const Icon = copied ? Check : Copy
  return (
    <Button
      tone={tone}
      size={children === undefined ? 'tiny' : 'normal'}
      aria-label={children === undefined ? t('copyNamed', { label }) : label}
      onClick={() => void copy()}
      className={className}
    >
      <Icon aria-hidden className={cn('size-3.5', copied && tone !== 'primary' && 'text-accent')} />
      {children !== undefined && (copied ? t('copied') : children)}
      <span aria-live="polite" className="sr-only">
        {copied ? t('copied') : ''}
      </span>
    </Button>
  )
}
