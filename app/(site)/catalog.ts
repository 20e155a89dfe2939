import { cache } from 'react'
import type { ModelList } from '#lib/contracts/catalog'
import { listModels } from '#lib/services/list-models'
import { pageUser } from '../api/session.ts'
import { pageRuntime } from '../page-runtime.ts'

/** Everything that is for sale to the reader now; asked of the database once for each page that is drawn. */
export const catalog = cache(async (): Promise<ModelList> => {
  const { console } = await pageRuntime()
  return listModels({ ctx: { ...console.ports, user: await pageUser() } })
})

/** The address that API clients use, with its `/v1`. */
export async function apiBase(): Promise<string> {
  const { console } = await pageRuntime()
  return console.ports.settings.baseUrl()
}

/** Where this gateway is reached: PUBLIC_URL, never what a request says of it. */
export const siteUrl = async (): Promise<string> => (await apiBase()).replace(/\/v1$/, '')
