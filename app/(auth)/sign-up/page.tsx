import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { SignUpForm } from '#components/auth/sign-up-form'
import { safeNext } from '../../../components/auth/safe-next.ts'
import { currentUser } from '../../api/session.ts'
import { signInOptions } from '../../api/sign-in-options.ts'
import { firstValue, type SearchParams } from '../../search-params.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('auth')
  return { title: t('signUp') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const next = firstValue((await searchParams).next)
  if ((await currentUser()) !== null) redirect(safeNext(next))
  const { providers } = await signInOptions()
  return <SignUpForm next={next} providers={providers} />
}
