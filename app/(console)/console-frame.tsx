import type { ReactNode } from 'react'
import { AreaTextsProvider } from '#components/area-texts-provider'
import { Providers } from '#components/providers'
import { Shell } from '#components/shell/shell'
import { currentUser } from '../api/session.ts'

/** The frame of an area of the console. Left out if nobody is signed in: the page then redirects to the sign-in. */
export async function ConsoleFrame({ area, children }: { area: 'console' | 'operator'; children: ReactNode }) {
  const user = await currentUser()
  return user === null ? (
    children
  ) : (
    <AreaTextsProvider of={area}>
      <Providers>
        <Shell me={user}>{children}</Shell>
      </Providers>
    </AreaTextsProvider>
  )
}
