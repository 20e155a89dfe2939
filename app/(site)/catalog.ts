import { cache } from 'react'
import type { ModelList } from '#lib/contracts/catalog'
import { listModels } from '#lib/services/list-models'
import { pageUser } from '../api/session.ts'
import { pageRuntime } from '../page-runtime.ts'

/** Everything that is currently for sale to the reader. Queries the database once per rendered page. */
export const catalog = cache(async (): Promise<ModelList> => {
  const { console } = await pageRuntime()
  return listModels({ ctx: { ...console.ports, user: await pageUser() } })
})

/** The base URL for API clients, with its `/v1`. */
export async function apiBaseUrl(): Promise<string> {
  const { console } = await pageRuntime()
  return console.ports.settings.baseUrl()
}

/** The public URL of this gateway: PUBLIC_URL, never what a request claims. */
export const siteUrl = async (): Promise<string> => (await apiBaseUrl()).replace(/\/v1$/, '')
