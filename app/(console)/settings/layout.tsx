import type { ReactNode } from 'react'
import { SettingsFrame } from '#components/settings/settings-frame'
import { currentUser } from '../../api/session.ts'

/** The frame of the settings. Left out if nobody is signed in: the page then redirects to the sign-in. */
export default async function Layout({ children }: { children: ReactNode }) {
  return (await currentUser()) === null ? children : <SettingsFrame>{children}</SettingsFrame>
}
