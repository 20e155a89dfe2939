'use client'
import { Search } from 'lucide-react'
import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'
import { loadEntries } from './load-entries.ts'
import { type Entry, searchEntries } from './search.ts'

interface DocsSearchProps {
  texts: { label: string; none: string; failed: string; found: string }
}

/** Searches the documentation in the browser: a field with a list of links below it. */
export function DocsSearch({ texts }: DocsSearchProps) {
  const [entries, setEntries] = useState<Entry[] | null>(null)
  const [failed, setFailed] = useState(false)
  const [question, setQuestion] = useState('')
  const isRequested = useRef(false)
  const loadOnce = () => {
    if (isRequested.current) return
    isRequested.current = true
    loadEntries().then(setEntries, () => {
      isRequested.current = false
      setFailed(true)
    })
  }
  const search = (text: string) => {
    loadOnce()
    setQuestion(text)
  }
  const field = useRef<HTMLInputElement>(null)
  const latest = useRef(search)
  latest.current = search
  // React does not report what was typed before the scripts ran.
  useEffect(() => {
    const typedBefore = field.current?.value ?? ''
    if (typedBefore !== '') latest.current(typedBefore)
  }, [])
  const found = entries === null ? [] : searchEntries(entries, question)
  const open = question.trim() !== ''
  const nothing = failed && entries === null ? texts.failed : entries !== null && found.length === 0 ? texts.none : ''
  return (
    <search className="relative">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-2.5 size-4 text-second" />
      {/* Not the shared search field: its styling code would put a documentation page over its script budget. */}
      <input
        ref={field}
        type="search"
        aria-label={texts.label}
        placeholder={texts.label}
        value={question}
        onFocus={loadOnce}
        onChange={(event) => search(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setQuestion('')
        }}
        className="h-9 w-full rounded-md border border-third bg-panel pr-2 pl-8 text-[1rem] placeholder:text-second hover:border-second sm:text-base"
      />
      <p role="status" className={open && nothing !== '' ? 'mt-2 px-2 text-second text-sm' : 'sr-only'}>
        {open ? nothing || (found.length > 0 ? `${texts.found} ${found.length}` : '') : ''}
      </p>
      {open && found.length > 0 && (
        <ul className="mt-1.5 rounded-md border bg-panel p-1 shadow-float">
          {found.map((entry) => (
            <li key={entry.href}>
              <Link
                href={entry.href}
                prefetch={false}
                onClick={() => setQuestion('')}
                className="block rounded-sm px-2 py-1.5 hover:bg-hover focus-visible:bg-hover"
              >
                <span className="block break-words font-medium">{entry.title}</span>
                <span className="block break-words text-second text-sm">{entry.page}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </search>
  )
}
