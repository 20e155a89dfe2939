import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { SignInForm } from '#components/auth/sign-in-form'
import { safeNext } from '../../../components/auth/safe-next.ts'
import { currentUser } from '../../api/session.ts'
import { signInOptions } from '../../api/sign-in-options.ts'
import { firstValue, type SearchParams } from '../../search-params.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('auth')
  return { title: t('signIn') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  const params = await searchParams
  const next = firstValue(params.next)
  if ((await currentUser()) !== null) redirect(safeNext(next))
  const { providers } = await signInOptions()
  const notice =
    firstValue(params['signed-up']) !== null ? 'checkMail' : firstValue(params.closed) !== null ? 'accountClosed' : null
  return <SignInForm next={next} refusal={firstValue(params.error)} notice={notice} providers={providers} />
}
