import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { VerifyForm } from '#components/auth/verify-form'
import { firstValue, type SearchParams } from '../../search-params.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn')
  return { title: t('verifyTitle'), referrer: 'no-referrer' }
}

/** The link of a user who wants another address has `?change`. */
export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  return <VerifyForm isChange={firstValue((await searchParams).change) !== null} />
}
