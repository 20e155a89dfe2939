import { getTranslations } from 'next-intl/server'
import { CONDITION_TABLE } from '#lib/domain/errors'
import { errorEntries, operationEntries, pageEntries } from '../../../../components/docs/index-entries.ts'
import { docs, operations } from '../docs.ts'

/** The index that the documentation search uses, in the reader's language. */
export async function GET(): Promise<Response> {
  const [t, { content, pages }, all] = await Promise.all([getTranslations('docs'), docs(), operations()])
  const errorsPage = pages.find(({ slug }) => slug === 'errors')?.title ?? ''
  const entries = [
    ...pageEntries(content, pages),
    ...errorEntries(content, CONDITION_TABLE, errorsPage),
    ...operationEntries(all, t('reference.title')),
  ]
  return Response.json(entries, { headers: { 'cache-control': 'private, max-age=60', vary: 'cookie, accept-language' } })
}
