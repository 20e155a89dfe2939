import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as models from '#app/api/models/route'
import { PlaygroundPage } from '#components/playground/playground-page'
import type { SearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('playground')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/playground', searchParams)
  return (
    <Prefetch reads={{ '/api/models': models }}>
      <PlaygroundPage />
    </Prefetch>
  )
}
