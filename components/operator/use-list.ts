'use client'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { usePages } from '../use-pages.ts'

const WAIT_MS = 200

interface Options {
  /** Additional filters. A null filter is left out. */
  filters?: Record<string, string | null>
  /** Converts the typed text to the search text that is sent. */
  tidy?: (text: string) => string
}

const trimmed = (text: string): string => text.trim()

/** A paginated list of the operator pages, with a search and a switch that includes archived rows. */
export function useList<Row>(
  path: string,
  shape: z.ZodType<{ rows: Row[]; next: string | null }>,
  { filters = {}, tidy = trimmed }: Options = {},
) {
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState('')
  const [archived, setArchived] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(tidy(search)), WAIT_MS)
    return () => clearTimeout(timer)
  }, [search, tidy])
  const chosen = Object.entries(filters).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  const params = new URLSearchParams({ limit: '50' })
  if (asked !== '') params.set('search', asked)
  if (archived) params.set('archived', 'yes')
  for (const [name, value] of chosen) params.set(name, value)
  const pages = usePages(`${path}?${params}`, shape, { refreshMs: 30_000, keep: true })
  return {
    ...pages,
    search,
    setSearch,
    archived,
    setArchived,
    filtered: asked !== '' || archived || chosen.length > 0,
  }
}

export type List<Row> = ReturnType<typeof useList<Row>>
