import type { ReactNode } from 'react'
import { Providers } from '#components/providers'
import { Shell } from '#components/shell/shell'
import { Texts } from '#components/texts'
import { currentUser } from '../api/session.ts'

/** The frame of an area of the console. Left out if nobody is signed in: the page then redirects to the sign-in. */
export async function Frame({ area, children }: { area: 'console' | 'operator'; children: ReactNode }) {
  const user = await currentUser()
  return user === null ? (
    children
  ) : (
    <Texts of={area}>
      <Providers>
        <Shell me={user}>{children}</Shell>
      </Providers>
    </Texts>
  )
}
