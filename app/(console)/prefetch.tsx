import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { unstable_serialize } from 'swr/infinite'
import { PreloadedData } from '#components/preloaded-data'
import type { RouteHandler } from '#lib/console/route'
import { pageRuntime } from '../page-runtime.ts'

/** Routes by the addresses that the page will request, with path and query. `paged` if it is the first page of a list. */
export type PrefetchRoutes = Record<string, { GET: RouteHandler; params?: Record<string, string>; paged?: true }>

/**
 * The route's response for the visitor who requests the page. Undefined if the route refuses or fails; the page will find that
 * out itself.
 */
async function responseOf(
  path: string,
  { GET, params = {} }: PrefetchRoutes[string],
  base: string,
  requestHeaders: Headers,
): Promise<unknown> {
  const answer = await GET(new Request(new URL(path, base), { headers: requestHeaders }), { params: Promise.resolve(params) })
  return answer.ok ? answer.json() : undefined
}

/**
 * Prefetches on the server what the page is about to request, through the same routes, so that the first paint already shows
 * it. Without this, most of the page would wait until its scripts have loaded and sent their requests.
 */
export async function Prefetch({ reads, children }: { reads: PrefetchRoutes; children: ReactNode }) {
  const [{ console }, requestHeaders] = await Promise.all([pageRuntime(), headers()])
  const base = console.publicUrl()
  const entries = Object.entries(reads).map(async ([path, route]): Promise<[string, unknown][]> => {
    const answer = await responseOf(path, route, base, new Headers(requestHeaders))
    if (answer === undefined) return []
    return [route.paged ? [unstable_serialize(() => path), [answer]] : [path, answer]]
  })
  const responses = (await Promise.all(entries)).flat()
  return <PreloadedData data={Object.fromEntries(responses)}>{children}</PreloadedData>
}
