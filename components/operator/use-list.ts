'use client'
import { useEffect, useState } from 'react'
import type { z } from 'zod'
import { usePages } from '../use-pages.ts'

const WAIT_MS = 200

interface Options {
  /** What the list is narrowed to beside that; null is not asked for. */
  filters?: Record<string, string | null>
  /** What is asked for instead of what was typed. */
  tidy?: (text: string) => string
}

const trimmed = (text: string): string => text.trim()

/** A list of the operator's side that is read page by page, with what is searched for and whether archived rows are in it. */
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
