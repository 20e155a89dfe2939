'use client'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { usePages } from '../use-pages.ts'

const SEARCH_DELAY_MS = 200

interface Options {
  /** Additional filters. A null filter is left out. */
  filters?: Record<string, string | null>
  /** Converts the typed text to the search text that is sent. */
  normalize?: (text: string) => string
}

const trim = (text: string): string => text.trim()

/** A paginated list of the operator pages, with a search and a switch that includes archived rows. */
export function useList<Row>(
  path: string,
  schema: z.ZodType<{ rows: Row[]; next: string | null }>,
  { filters = {}, normalize = trim }: Options = {},
) {
  const [search, setSearch] = useState('')
  const [sentSearch, setAsked] = useState('')
  const [archived, setArchived] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(normalize(search)), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [search, normalize])
  const chosen = Object.entries(filters).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  const params = new URLSearchParams({ limit: '50' })
  if (sentSearch !== '') params.set('search', sentSearch)
  if (archived) params.set('archived', 'yes')
  for (const [name, value] of chosen) params.set(name, value)
  const pages = usePages(`${path}?${params}`, schema, { refreshMs: 30_000, keep: true })
  return {
    ...pages,
    search,
    setSearch,
    archived,
    setArchived,
    filtered: sentSearch !== '' || archived || chosen.length > 0,
  }
}

export type List<Row> = ReturnType<typeof useList<Row>>
