import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { unstable_serialize } from 'swr/infinite'
import { KnownData } from '#components/known-data'
import type { RouteHandler } from '#lib/console/route'
import { pageRuntime } from '../page-runtime.ts'

/** Routes by the addresses that the page will request, with path and query. `paged` if it is the first page of a list. */
export type Reads = Record<string, { GET: RouteHandler; params?: Record<string, string>; paged?: true }>

/**
 * The route's response for the visitor who requests the page. Undefined if the route refuses or fails; the page will find that
 * out itself.
 */
async function answerOf(path: string, { GET, params = {} }: Reads[string], base: string, sent: Headers): Promise<unknown> {
  const answer = await GET(new Request(new URL(path, base), { headers: sent }), { params: Promise.resolve(params) })
  return answer.ok ? answer.json() : undefined
}

/**
 * Prefetches on the server what the page is about to request, through the same routes, so that the first paint already shows
 * it. Without this, most of the page would wait until its scripts have loaded and sent their requests.
 */
export async function FirstReads({ reads, children }: { reads: Reads; children: ReactNode }) {
  const [{ console }, sent] = await Promise.all([pageRuntime(), headers()])
  const base = console.publicUrl()
  const entries = Object.entries(reads).map(async ([path, route]): Promise<[string, unknown][]> => {
    const answer = await answerOf(path, route, base, new Headers(sent))
    if (answer === undefined) return []
    return [route.paged ? [unstable_serialize(() => path), [answer]] : [path, answer]]
  })
  const known = (await Promise.all(entries)).flat()
  return <KnownData data={Object.fromEntries(known)}>{children}</KnownData>
}
