import { redirect } from 'next/navigation'
import { Landing } from '#components/site/landing'
import { currentUser } from '../api/session.ts'
import { pageRuntime } from '../page-runtime.ts'
import { apiBaseUrl, catalog } from './catalog.ts'

/** The landing page. A visitor who is signed in goes straight to the overview. */
export default async function Page() {
  if ((await currentUser()) !== null) redirect('/overview')
  const { console } = await pageRuntime()
  return <Landing list={await catalog()} baseUrl={await apiBaseUrl()} open={console.ports.settings.signUp === 'open'} />
}
