import { redirect } from 'next/navigation'
import { Landing } from '#components/landing'
import { currentUser } from './api/session.ts'

/** The front door; who is signed in goes straight to the overview. */
export default async function Page() {
  if ((await currentUser()) !== null) redirect('/overview')
  return <Landing />
}
