import Link from 'next/link'
import type { ReactNode } from 'react'
import { enumerate } from '../enumerate.ts'

const MARKUP_PATTERN = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\((\/[^)\s]*)\)/g

/** The plain text of a documentation text, without markup, for the search. */
export const plainText = (text: string): string =>
  text.replace(MARKUP_PATTERN, (_all, code, strong, label) => code ?? strong ?? label)

/** Renders a text with `code`, **bold** and [links](/inside). Everything else is plain text. */
export function Inline({ text }: { text: string }) {
  const parts: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(MARKUP_PATTERN)) {
    const [all, code, strong, label, href = '/'] = match
    parts.push(text.slice(at, match.index))
    if (code !== undefined) parts.push(<code className="rounded-sm bg-hover px-1 py-px font-mono">{code}</code>)
    else if (strong !== undefined) parts.push(<strong className="font-semibold">{strong}</strong>)
    else
      parts.push(
        <Link href={href} prefetch={false} className="text-accent underline decoration-1 underline-offset-2">
          {label}
        </Link>,
      )
    at = match.index + all.length
  }
  parts.push(text.slice(at))
  return enumerate(parts).map(({ place, value }) => <span key={place}>{value}</span>)
}
